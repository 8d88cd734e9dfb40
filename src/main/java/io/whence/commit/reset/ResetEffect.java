package io.whence.commit.reset;

import io.whence.model.RecordStamp;
import org.jspecify.annotations.Nullable;

/**
 * What a reset changes for a group that has committed something. Thread safety: immutable.
 *
 * @param recordsSkipped how many records the group would not get to see
 * @param recordsReplayed how many records the group would see again
 * @param nextUnread the record that the group would read next without the reset; null when there is
 *     none
 */
public record ResetEffect(
    long recordsSkipped, long recordsReplayed, @Nullable RecordStamp nextUnread) {}
