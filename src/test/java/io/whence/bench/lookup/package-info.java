/**
 * Lookups by time under load, side by side with what they are compared with: a real broker over the
 * same records, a method that does nothing, a plain binary search. Started by {@code
 * load-tests/compare}.
 */
@NullMarked
package io.whence.bench.lookup;

import org.jspecify.annotations.NullMarked;
