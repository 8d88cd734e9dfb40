/** Positions, windows and offsets to answers, one partition at a time. */
@NullMarked
package io.whence.resolve;

import org.jspecify.annotations.NullMarked;
