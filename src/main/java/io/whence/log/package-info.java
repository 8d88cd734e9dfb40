/** Segmented logs on disk: append, recovery, retention, and immutable snapshots for readers. */
@NullMarked
package io.whence.log;

import org.jspecify.annotations.NullMarked;
