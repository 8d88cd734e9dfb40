/** The source that follows the partitions of a Kafka cluster. */
@NullMarked
package io.whence.source.kafka;

import org.jspecify.annotations.NullMarked;
