/** Benchmarks of the edge, by JMH; in its package, since nothing of it is open to others. */
@NullMarked
package io.whence.grpc;

import org.jspecify.annotations.NullMarked;
