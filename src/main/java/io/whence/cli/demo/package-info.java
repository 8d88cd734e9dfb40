/** The demo: a server of its own, believable traffic, and the question that Whence exists for. */
@NullMarked
package io.whence.cli.demo;

import org.jspecify.annotations.NullMarked;
