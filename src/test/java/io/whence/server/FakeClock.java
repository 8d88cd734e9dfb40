package io.whence.server;

import jakarta.enterprise.inject.Alternative;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands still. */
@Alternative
@Singleton
class FakeClock implements InstantSource {
  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(ServerTestProfile.NOW_MS);
  }
}
