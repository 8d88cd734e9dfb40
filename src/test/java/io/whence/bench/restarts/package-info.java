/** The Kafka cluster that servers follow while they are restarted: {@code load-tests/restarts}. */
@NullMarked
package io.whence.bench.restarts;

import org.jspecify.annotations.NullMarked;
