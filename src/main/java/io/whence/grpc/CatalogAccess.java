package io.whence.grpc;

/** Gives the services the sources once these are open. Thread safety: thread-safe. */
@FunctionalInterface
public interface CatalogAccess {
  /**
   * Returns the sources.
   *
   * @throws io.whence.model.WhenceException with reason {@code NOT_READY} while they are opened
   */
  OpenSources sources();
}
