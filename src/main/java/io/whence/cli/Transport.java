package io.whence.cli;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;

/**
 * How a connection to a server is kept from strangers. Immutable.
 *
 * @param credentials what is shown and whom is trusted
 * @param serverName the name that the certificate of the server must have; empty: that of its
 *     address
 */
public record Transport(ChannelCredentials credentials, String serverName) {
  /** Not at all. */
  public static final Transport PLAINTEXT = new Transport(InsecureChannelCredentials.create(), "");
}
