/** How fast partitions of a cluster are fetched, beside a consumer. */
@NullMarked
package io.whence.bench.follow;

import org.jspecify.annotations.NullMarked;
