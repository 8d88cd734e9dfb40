/** What tests of several packages build their inputs with. */
@NullMarked
package io.whence.testkit;

import org.jspecify.annotations.NullMarked;
