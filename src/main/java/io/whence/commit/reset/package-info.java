/** Resets of committed offsets: planned first, then applied as planned or not at all. */
@NullMarked
package io.whence.commit.reset;

import org.jspecify.annotations.NullMarked;
