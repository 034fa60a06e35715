"""Short names that developers use, and what things are for. Facts only.

A word on its own is read as its long form, in memories and in questions alike; parts of names (`pg_dump`, `main.py`)
are not.
"""

SHORT_FORMS = {
    "a11y": "accessibility",
    "args": "arguments",
    "config": "configuration",
    "db": "database",
    "dbs": "databases",
    "deps": "dependencies",
    "dir": "directory",
    "env": "environment",
    "func": "function",
    "gh": "github",
    "gha": "github actions",
    "i18n": "internationalization",
    "impl": "implementation",
    "infra": "infrastructure",
    "js": "javascript",
    "k8s": "kubernetes",
    "kube": "kubernetes",
    "l10n": "localization",
    "lib": "library",
    "mongo": "mongodb",
    "msg": "message",
    "o11y": "observability",
    "param": "parameter",
    "params": "parameters",
    "perf": "performance",
    "pg": "postgresql",
    "pkg": "package",
    "postgres": "postgresql",
    "prod": "production",
    "psql": "postgresql",
    "py": "python",
    "repo": "repository",
    "repos": "repositories",
    "ts": "typescript",
}

# The purpose of things, in the word that people ask with: `which database do we use?` finds a memory about PostgreSQL.
# Used for memories only: a question about PostgreSQL does not ask for every database.
_THINGS = {
    "authentication": "jwt oauth oauth2 oidc passkey saml sso",
    "bundler": "rollup vite webpack",
    "cache": "memcached redis",
    "container": "docker",
    "database": "mariadb mongodb mysql postgresql sqlite",
    "deployment": "helm kubernetes",
    "formatter": "prettier",
    "framework": "fastapi flask django express",
    "infrastructure": "terraform",
    "linter": "eslint ruff",
    "monitoring": "grafana prometheus sentry",
    "orm": "prisma sqlalchemy",
    "password hashing": "argon2 argon2id bcrypt",
    "payment": "stripe",
    "proxy": "nginx",
    "queue": "celery kafka rabbitmq",
    "search": "elasticsearch",
    "styling": "tailwind css",
    "testing": "cypress jest playwright pytest vitest",
    "types": "mypy",
}
PURPOSES = {thing: purpose for purpose, things in _THINGS.items() for thing in things.split()}


def read_table(text: str) -> dict[str, str]:
    """Read `value: key, key; value: key` into a dict from keys to values."""
    found: dict[str, str] = {}
    for row in " ".join(text.split()).split("; "):
        value, _, keys = row.partition(": ")
        found |= dict.fromkeys(keys.split(", "), value)
    return found
