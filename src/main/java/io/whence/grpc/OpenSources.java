package io.whence.grpc;

import io.whence.commit.GroupOffsets;
import io.whence.source.SourceCatalog;
import java.util.Map;

/**
 * The sources of a server once they are open. Thread safety: immutable.
 *
 * @param catalog the sources
 * @param groupOffsets the offsets of groups by the name of the source; of those that keep any
 */
public record OpenSources(SourceCatalog catalog, Map<String, GroupOffsets> groupOffsets) {
  /** Copies the map. */
  public OpenSources {
    groupOffsets = Map.copyOf(groupOffsets);
  }
}
