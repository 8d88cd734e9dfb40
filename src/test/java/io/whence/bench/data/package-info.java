/** Logs for load tests, of any size in little time, whose right answers are known. */
@NullMarked
package io.whence.bench.data;

import org.jspecify.annotations.NullMarked;
