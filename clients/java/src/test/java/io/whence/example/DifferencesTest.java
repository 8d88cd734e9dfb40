package io.whence.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonParser;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What counts as a difference. */
class DifferencesTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"a\": \"9007199254740993\"} | {\"a\": \"9007199254740993\"} | 0",
        "{\"a\": \"9007199254740993\"} | {\"a\": \"9007199254740992\"} | 1",
        "{\"a\": \"$any\"} | {\"a\": 5} | 0",
        "{\"a\": \"$any\"} | {} | 1",
        "{} | {\"a\": \"0\"} | 1",
        "[1, 2] | [1] | 1",
        "[1, {\"a\": true}] | [2, {\"a\": false}] | 2",
        "\"1\" | 1 | 1",
      })
  void values_differInSoManyPlaces(String wanted, String got, int count) {
    var lines =
        Differences.between("value", JsonParser.parseString(wanted), JsonParser.parseString(got));
    assertEquals(count, lines.size(), lines::toString);
  }
}
