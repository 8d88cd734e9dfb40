/** What a load test found: tables and goals, as Markdown, as JSON and in the documents. */
@NullMarked
package io.whence.bench.report;

import org.jspecify.annotations.NullMarked;
