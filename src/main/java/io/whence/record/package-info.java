/** Kafka record batches, format version 2: layout, read-only views, building, codecs. */
@NullMarked
package io.whence.record;

import org.jspecify.annotations.NullMarked;
