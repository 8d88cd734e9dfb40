/**
 * A steady load of lookups, appends and commits for a while, to see that nothing grows: neither
 * memory nor the time of calls. Started by {@code load-tests/steady}.
 */
@NullMarked
package io.whence.bench.steady;

import org.jspecify.annotations.NullMarked;
