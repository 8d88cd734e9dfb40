/** Rules about packages, frameworks and effects that the compiler doesn't know. */
@NullMarked
package io.whence.archunit;

import org.jspecify.annotations.NullMarked;
