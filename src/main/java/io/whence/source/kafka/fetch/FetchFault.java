package io.whence.source.kafka.fetch;

import io.whence.model.ErrorReason;

/**
 * Why nothing of a partition is fetched. The lane tries again by itself, less and less often.
 *
 * @param reason the reason, such as {@code LEADER_UNAVAILABLE} or {@code STALE_TOPIC}
 * @param message what happened, for people
 */
public record FetchFault(ErrorReason reason, String message) {}
