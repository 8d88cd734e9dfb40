package io.whence.source;

import io.whence.model.Resolution;
import io.whence.model.WhenceException;
import org.jspecify.annotations.Nullable;

/**
 * What a cluster says to a {@link ClusterQuestion}: a resolution or a failure. Thread safety:
 * immutable.
 */
public final class ClusterAnswer {
  private final @Nullable Resolution resolution;
  private final @Nullable WhenceException failure;

  private ClusterAnswer(@Nullable Resolution resolution, @Nullable WhenceException failure) {
    this.resolution = resolution;
    this.failure = failure;
  }

  /** Makes an answer. */
  public static ClusterAnswer of(Resolution resolution) {
    return new ClusterAnswer(resolution, null);
  }

  /** Makes the answer that there is none. */
  public static ClusterAnswer failed(WhenceException failure) {
    return new ClusterAnswer(null, failure);
  }

  /**
   * Returns the resolution.
   *
   * @throws WhenceException the failure, if there is none
   */
  public Resolution resolution() {
    if (failure != null) {
      throw failure;
    }
    if (resolution == null) {
      throw new IllegalStateException("neither a resolution nor a failure");
    }
    return resolution;
  }
}
