/** Configuration, wiring, thread pools, ordered start and stop. */
@NullMarked
package io.whence.app;

import org.jspecify.annotations.NullMarked;
