"""Tokens asked of a language model per day, in SQLite. Numbers only: no text, no key, no address."""

from datetime import date, timedelta

from recollect.store.sqlite.database import Database

KEEP_DAYS = 31


class TokenDays:
    _database: Database

    def spent_tokens(self, day: date) -> int:
        row = self._database.fetch_one("SELECT tokens FROM token_day WHERE day = ?", (day.isoformat(),))
        return 0 if row is None else int(row["tokens"])

    def reserve_tokens(self, day: date, tokens: int, *, most: int) -> bool:
        # Read and written in one transaction: of two processes that ask at once, one sees what the other took.
        with self._database.write() as connection:
            if self.spent_tokens(day) + tokens > most:
                return False
            self.spend_tokens(day, tokens)
            before = (day - timedelta(days=KEEP_DAYS)).isoformat()
            connection.execute("DELETE FROM token_day WHERE day < ?", (before,))
        return True

    def spend_tokens(self, day: date, tokens: int) -> None:
        with self._database.write() as connection:
            connection.execute(
                "INSERT INTO token_day VALUES (:day, max(0, :tokens)) "
                "ON CONFLICT DO UPDATE SET tokens = max(0, tokens + :tokens)",
                {"day": day.isoformat(), "tokens": tokens},
            )
