/**
 * Partitions of a Kafka cluster, fetched as they are: whole record batches, with their transaction
 * markers, and the bounds of their logs. The only package that knows kafka-clients' internal
 * network classes, and nothing of them comes out.
 */
@NullMarked
package io.whence.source.kafka.fetch;

import org.jspecify.annotations.NullMarked;
