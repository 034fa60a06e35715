"""Things that replace each other: technologies of one purpose, styles, days, ways of working. Facts only.

Two names of one row are alternatives: a statement with the other one, and the rest the same, reports a change.
"""

from functools import lru_cache

from recollect.text.aliases import read_table

_ROWS = """
webpack vite rollup esbuild parcel turbopack rspack browserify snowpack
npm pnpm yarn
pip poetry pipenv uv conda pdm
black yapf autopep8
prettier dprint biome
eslint tslint oxlint standardjs rubocop pylint flake8 golangci-lint
mypy pyright pytype
jest vitest mocha jasmine ava
pytest unittest nose nose2
cypress playwright selenium puppeteer webdriverio testcafe nightwatch
junit testng spock kotest
rspec minitest
postgresql mysql mariadb sqlite oracle mssql sqlserver cockroachdb mongodb dynamodb cassandra couchdb firestore
redis memcached valkey keydb hazelcast
kafka rabbitmq nats sqs pulsar activemq bullmq sidekiq celery resque
elasticsearch opensearch solr meilisearch typesense algolia
jenkins circleci travis buildkite teamcity drone gitlab-ci github-actions woodpecker concourse azure-pipelines
github gitlab bitbucket gitea codeberg
aws gcp azure hetzner digitalocean linode ovh
heroku vercel netlify render railway fly.io cloudflare-pages
terraform pulumi cloudformation opentofu cdk
kubernetes nomad ecs swarm
argocd flux spinnaker
docker podman
helm kustomize jsonnet
nginx caddy traefik apache haproxy envoy
react vue svelte angular solid preact ember
redux zustand mobx recoil jotai pinia vuex
tailwind bootstrap bulma
moment dayjs date-fns luxon
axios fetch ky got superagent node-fetch
winston pino bunyan log4js
log4j logback
sequelize prisma typeorm drizzle knex mikroorm sqlalchemy peewee hibernate jooq entity-framework dapper gorm ent
django flask fastapi starlette bottle pyramid
express fastify koa hapi nestjs hono
rails sinatra
spring quarkus micronaut ktor
gin echo fiber chi
actix axum rocket warp
maven gradle bazel sbt ant
cmake meson autotools scons
make just task ninja
graphql rest grpc soap trpc
json yaml toml xml ini protobuf avro thrift msgpack flatbuffers capnproto
python javascript typescript golang rust java kotlin swift ruby php elixir scala clojure haskell c++ c# dart zig perl
node deno bun
jwt session-cookies cookies opaque-tokens
oauth saml ldap kerberos basic-auth
okta auth0 keycloak cognito clerk entra
bcrypt argon2 argon2id scrypt pbkdf2
hs256 rs256 es256 ps256 eddsa hmac-sha256
sha1 sha256 sha512 md5 blake2 blake3
launchdarkly unleash flagsmith split configcat growthbook
mailgun sendgrid postmark ses mailchimp sparkpost resend
stripe paypal adyen braintree square klarna
sentry bugsnag rollbar honeybadger airbrake
datadog newrelic grafana prometheus dynatrace honeycomb splunk
jira linear asana trello clickup shortcut
slack teams discord mattermost zulip
dependabot renovate
vault 1password doppler secrets-manager bitwarden sops
s3 gcs azure-blob minio r2 nfs
cloudfront cloudflare fastly akamai
snowflake bigquery redshift clickhouse databricks duckdb
airflow dagster prefect luigi
dbt dataform
spark flink beam
pandas polars dask
pytorch tensorflow jax keras
mlflow wandb neptune comet
unity unreal godot
freertos zephyr mbed nuttx
uikit swiftui
retrofit volley
room realm
flutter react-native ionic xamarin maui
dagger hilt koin guice
zod yup joi ajv valibot
pydantic marshmallow attrs
handlebars mustache ejs pug
jinja mako
sass less stylus
mdx markdown restructuredtext asciidoc
sphinx mkdocs docusaurus gitbook vitepress
swagger redoc
vim emacs vscode intellij neovim
tabs spaces
camelcase snake_case kebab-case pascalcase
english german french spanish portuguese italian japanese chinese dutch polish
monday tuesday wednesday thursday friday saturday sunday
hourly daily nightly weekly monthly quarterly yearly
minute hour day week month quarter year
fmod wwise
debug info warn error fatal
dark light
semver calver
monorepo polyrepo
trunk gitflow
mit apache-2.0 gpl gplv2 gplv3 agpl lgpl bsd mpl
amd64 arm64
debian ubuntu alpine fedora centos rhel
windows macos linux
chrome firefox safari edge
bash zsh fish powershell
http https
websocket sse polling webhooks
uuid ulid snowflake-ids serial autoincrement
float decimal integer
scrum kanban
master main develop trunk
"""

# Other names of things in the rows.
_NAMES = read_table("""
    github-actions: github actions, gha; gitlab-ci: gitlab ci; azure-pipelines: azure pipelines;
    cloudflare-pages: cloudflare pages; react-native: react native; azure-blob: azure blob;
    secrets-manager: secrets manager; entity-framework: entity framework; sqlserver: sql server; newrelic: new relic;
    date-fns: date fns; basic-auth: basic auth; session-cookies: session cookies; opaque-tokens: opaque tokens;
    snake_case: snake case; camelcase: camel case; kebab-case: kebab case; pascalcase: pascal case; nextjs: next.js;
    node: node.js, nodejs; vue: vue.js; react: reactjs; moment: moment.js; dayjs: day.js;
    postgresql: postgres, pg, psql; mongodb: mongo; kubernetes: k8s, kube; typescript: ts; javascript: js; python: py;
    golang: go; tabs: tab; spaces: space; restructuredtext: rst; yaml: yml; monday: mondays; tuesday: tuesdays;
    wednesday: wednesdays; thursday: thursdays; friday: fridays; saturday: saturdays; sunday: sundays; float: floats;
    decimal: decimals; integer: integers; oauth: oauth2; hmac-sha256: hmac; elasticsearch: elastic; dynamodb: dynamo;
    hourly: every hour; daily: every day, each day; nightly: every night; weekly: every week, each week;
    monthly: every month, each month
""")
# Also ordinary words: alternatives only if the statement has no other, and never a reason to end something.
_PLAIN = frozenset(
    """
    alpha ant ava beam chi clerk dark day days debug develop echo edge ent error fatal fetch fish flux go got hour
    info just less light linear local main make merge minute month months quarter realm render resend rocket room
    serial solid space spark split spring square standard swarm tab task teams trunk volley warn warp week weeks year
    """.split()
)


@lru_cache(maxsize=1)
def _rows() -> dict[str, int]:
    rows: dict[str, int] = {}
    for number, row in enumerate(_ROWS.strip().splitlines()):
        for name in row.split():
            rows.setdefault(name, number)
    return rows


def row_of(name: str) -> int | None:
    """Return the row of a name in small letters; None: it has no known alternative."""
    return _rows().get(canonical_name(name))


# Rows with names of places as often as of values: languages, systems, browsers.
_PLACES = ("python", "windows", "chrome", "amd64", "debian", "bash")


def names_places(row: int) -> bool:
    return any(_rows()[place] == row for place in _PLACES)


def alternatives_to(name: str) -> list[str]:
    row = row_of(name)
    if row is None:
        return []
    return [other for other, number in _rows().items() if number == row and other != name]


def canonical_name(name: str) -> str:
    return _NAMES.get(name, name)


def is_plain_word(name: str) -> bool:
    return name in _PLAIN


def two_word_name(first: str, second: str) -> str | None:
    return _NAMES.get(f"{first} {second}")
