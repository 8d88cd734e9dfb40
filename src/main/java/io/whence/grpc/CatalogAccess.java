package io.whence.grpc;

import io.whence.source.SourceCatalog;

/** Gives the services the sources once these are open. Thread safety: thread-safe. */
@FunctionalInterface
public interface CatalogAccess {
  /**
   * Returns the sources.
   *
   * @throws io.whence.model.WhenceException with reason {@code NOT_READY} while they are opened
   */
  SourceCatalog catalog();
}
