/**
 * The offsets that the groups of a Kafka cluster have committed, in the cluster's own {@code
 * __consumer_offsets}, through its public client. Nothing of Kafka's client leaves this package.
 */
@NullMarked
package io.whence.commit.kafka;

import org.jspecify.annotations.NullMarked;
