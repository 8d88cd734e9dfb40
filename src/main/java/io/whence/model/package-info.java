/** Value types and failures that every layer speaks. */
@NullMarked
package io.whence.model;

import org.jspecify.annotations.NullMarked;
