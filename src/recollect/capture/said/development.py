"""Words of software development, which separate rules for the work from wishes for the product; names and paths. Pure.

A sentence about a page, a price or a player says what the software should do; one about tests, commits or imports says
how to work on it. Names of tools are the same in every language.
"""

import re
from functools import lru_cache

from recollect.text.lazy_pattern import AnyCasePattern, LazyPattern

_LANGUAGES = (
    "python javascript typescript golang rust kotlin scala ruby elixir erlang haskell swift dart php perl lua clojure "
    "c\\+\\+ c# f# java zig fortran cobol matlab julia solidity wasm html css scss sass bash zsh powershell sql "
    "graphql node nodejs node\\.js deno bun jvm jdk \\.net dotnet esm cjs"
)
_FRAMEWORKS = (
    "react vue svelte sveltekit angular next\\.?js nuxt remix astro solidjs htmx jquery tailwind bootstrap shadcn mui "
    "django flask fastapi rails laravel symfony spring quarkus express\\.?js nestjs hono actix axum tokio phoenix gin "
    "flutter expo react-native electron tauri unity godot unreal pygame qt swiftui uikit jetpack redux zustand pinia "
    "pydantic sqlalchemy alembic prisma drizzle typeorm sequelize hibernate mongoose celery sidekiq rxjs zod trpc "
    "langchain langgraph pytorch tensorflow pandas polars numpy date-fns moment dayjs lodash axios structlog zerolog "
    "pino winston slog i18next storybook three\\.?js webgl threejs ffmpeg openssl protobuf grpc mjml"
)
_TOOLS = (
    "npm npx pnpm yarn pip pipx uv poetry conda mamba pdm hatch cargo rustup maven gradle sbt bundler composer nuget "
    "homebrew brew apt nix webpack vite rollup esbuild parcel turbopack turborepo turbo nx lerna bazel cmake meson "
    "ninja makefile justfile mise asdf nvm jest vitest mocha pytest unittest tox nox cypress playwright selenium "
    "junit rspec phpunit gtest xunit hypothesis eslint prettier biome oxlint ruff flake8 pylint mypy pyright tsc "
    "clippy rustfmt gofmt golangci-lint rubocop shellcheck husky pre-commit git github gitlab bitbucket gh jira "
    "docker podman docker-compose kubernetes k8s k3s helm tilt terraform pulumi ansible vagrant jenkins circleci "
    "gh-actions vercel netlify heroku fly\\.io railway cloudflare aws gcp azure hetzner digitalocean ecs eks rds s3 "
    "ec2 postgres postgresql pg mysql mariadb sqlite sqlite3 mongodb mongo redis valkey dynamodb cassandra clickhouse "
    "elasticsearch opensearch supabase firebase firestore planetscale duckdb snowflake bigquery kafka rabbitmq nats "
    "sqs nginx caddy traefik apache sentry datadog grafana prometheus otel opentelemetry postmark mailchimp sendgrid "
    "stripe auth0 clerk keycloak cognito oauth jwt oidc saml httponly stm32 esp32 arduino raspberry windows macos "
    "linux ubuntu debian alpine wsl ios android gitflow semver openapi swagger dbt airflow ulids? uuids?"
)
_PRACTICE = (
    "tests? testing specs? e2e mocks? mocking mocked fixtures? coverage tdd ci cd pipelines? builds? linters? lint "
    "linting formatters? formatting typecheck type-check commits? committing commit-messages? push pushing pushes "
    "force-push merge merging rebase rebasing squash amend branch branches main master develop trunk prs? "
    "pull-requests? mrs? reviews? changelogs? readme docs? docstrings? documentation jsdoc comments? commenting "
    "imports? exports? types? typings type-hints? typed generics interfaces? enums? class classes functions? methods? "
    "hooks? files? folders? directory directories modules? packages? dependency dependencies deps libraries library "
    "lockfiles? scripts? migrations? schemas? queries orm dbs? databases? env env-vars? secrets? credentials hardcode "
    "hardcoded hard-coded hardcoding configs? configuration logs? logging logger print prints console\\.log "
    "exceptions? try/catch async await promises callbacks naming camelcase snake_case kebab-case pascalcase tabs "
    "spaces indentation indent semicolons quotes? whitespace code codebase boilerplate abstractions? helpers? utils? "
    "utility backend frontend server api apis endpoints? rest containers? images? prod production staging localhost "
    "floats? cents integers? utc timestamps? timezones? ids? uuids? ulids? refactor refactoring deploy deploys "
    "deploying deployment deployments release releases releasing publish version versions versioning bump tag tags "
    "tagging install installing repo repos repository monorepo worktrees? workspace workspaces answers? replies "
    "respond responses? reply summaries emojis? explanations? bullet-points? co-authored-by trailers? todos? "
    "warnings? compiler build-step sudo cli commands? terminal shell inline-styles? dtos? components? unwrap panics? "
    "unsafe any nulls? globals? singletons? constants? magic-numbers? early-returns? nested-ifs? one-liners? "
    "default-exports? lambdas? diffs? patches backups? dev infra runners? "
    # German, Spanish, French, Portuguese, except words that are spelt alike above.
    "kommentare? zweig tests? branches abhängigkeiten umgebungsvariablen migrationen klassen funktionen dateien "
    "ordner antworten antworte mandant pruebas ramas? comentarios dependencias funciones clases archivos carpetas "
    "respuestas rama despliegue deploy base-de-datos commentaires dépendances fichiers générés fonctions branche "
    "réponses réponds testes comentários dependências arquivos funções respostas pasta banco"
)
_CJK = (
    "テスト|コミット|ブランチ|コメント|プルリク|マイグレーション|ファイル|コード|リポジトリ|デプロイ|型|测试|提交|分支|注释|代码|依赖|文件|部署|仓库|数据库|тест\\w*|коммит\\w*|"
    "ветк\\w*|комментари\\w*|код\\w*|зависимост\\w*|файл\\w*|миграци\\w*|репозитори\\w*|отвеча\\w*|деплой\\w*"
)


def _any_of(words: str) -> str:
    return "|".join(word.replace("-", "[- ]") for word in words.split())


_TOOL = rf"(?<![\w.@#/-])(?:{_any_of(_LANGUAGES)}|{_any_of(_FRAMEWORKS)}|{_any_of(_TOOLS)})(?![\w#+-]|\.\w)"
_NAMES_TOOL = AnyCasePattern(_TOOL, re.ASCII)
_NAMES_PRACTICE = AnyCasePattern(rf"(?<![\w-])(?:{_any_of(_PRACTICE)})(?![\w-])|{_CJK}")
_NAME = LazyPattern(
    r"`[^`]+`|\b\w+\([^)]*\)|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*|\b\w+_\w+|(?<!\w)--?[a-z][\w-]*|\b\w+\.[a-z]{1,4}\b|"
    r"(?:[\w@.~-]+/)+[\w.-]+|\b[A-Z]{3,}[A-Z_0-9]*\b"
)
_ENDINGS = (
    "py|go|ts|tsx|js|jsx|rs|rb|java|kt|swift|c|h|cc|cpp|hpp|cs|php|sql|sh|ya?ml|toml|json|md|html|css|scss|vue|svelte|tf|"
    "proto|gradle|xml|ini|cfg|env|lock|mod|sum"
)
_PATH = LazyPattern(rf"(?:(?<![\w/])[@.~]{{0,3}}/?(?:[\w.-]+/)+[\w.-]*[\w]|\b[\w-]+\.(?:{_ENDINGS}))\b")
_CAPITALS = LazyPattern(r"\b(?:[A-Z]{4,}|NOT|ALL|NO|IS|BUT|DO|ANY)\b(?!_)")


@lru_cache(maxsize=1024)
def names_tool(text: str) -> bool:
    """Return True if it names one: pnpm, Postgres, Kubernetes."""
    return _NAMES_TOOL.search(text) is not None


@lru_cache(maxsize=512)
def is_about_work(text: str) -> bool:
    """Return True if it is about tests, commits, imports or a tool."""
    return _NAMES_PRACTICE.search(text) is not None or names_tool(text)


@lru_cache(maxsize=512)
def names_in(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_NAME.findall(text)))


def paths_in(text: str) -> tuple[str, ...]:
    found = (path.lstrip("@").rstrip(".") for path in _PATH.findall(text))
    return tuple(dict.fromkeys(path for path in found if path and "://" not in path and not path.startswith("//")))


def is_emphatic(text: str) -> bool:
    return bool(_CAPITALS.search(text)) or text.rstrip().endswith("!")
