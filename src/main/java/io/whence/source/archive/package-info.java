/** The source that opens existing Kafka data directories, read-only. */
@NullMarked
package io.whence.source.archive;

import org.jspecify.annotations.NullMarked;
