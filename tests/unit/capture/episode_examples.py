# what tools print is as long as it is
"""Errors and how they were fixed, made up: each with the same error on another day, and one that only looks like it."""

from dataclasses import dataclass, field
from typing import Any

from recollect.domain.memory import Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    name: str
    command: str
    error: str
    again: str  # the same error on another day, on another machine
    other: str  # another error of the same tool
    said: str = ""  # by the agent, between the error and its end
    edit: dict[str, Any] = field(default_factory=dict)  # made in between
    ran: str = ""  # a command in between
    keeps: tuple[str, ...] = ()  # what a later session must read
    learnt: Tier | None = Tier.CONFIRMED  # None: it is of one moment


EPISODES = [
    Episode(
        name="pytest fixture",
        command="pytest tests/api -q",
        error="""\
============================= test session starts ==============================
collected 41 items
tests/api/test_orders.py E                                               [  2%]
==================================== ERRORS ====================================
_________________ ERROR at setup of test_order_is_listed _________________
file /home/ann/shop/tests/api/test_orders.py, line 18
  def test_order_is_listed(client, tenant):
E       fixture 'tenant' not found
>       available fixtures: cache, capfd, client, tmp_path
/home/ann/shop/tests/api/test_orders.py:18
=========================== short test summary info ============================
ERROR tests/api/test_orders.py::test_order_is_listed
40 passed, 1 error in 3.12s""",
        said="The `tenant` fixture lives in tests/tenancy/conftest.py, which pytest does not load for tests/api. I'll move it up to tests/conftest.py.",
        edit={"file_path": "tests/conftest.py", "old_string": "", "new_string": "@pytest.fixture\ndef tenant(): ..."},
        again="""\
============================= test session starts ==============================
collected 77 items
tests/api/test_orders.py ..E                                             [  9%]
==================================== ERRORS ====================================
_________________ ERROR at setup of test_order_is_listed _________________
file /srv/ci/build-88/shop/tests/api/test_orders.py, line 31
  def test_order_is_listed(client, tenant):
E       fixture 'tenant' not found
>       available fixtures: cache, capfd, client, tmp_path
/srv/ci/build-88/shop/tests/api/test_orders.py:31
40 passed, 1 error in 9.41s""",
        other="""\
_________________ ERROR at setup of test_order_is_listed _________________
file /home/ann/shop/tests/api/test_orders.py, line 18
E       fixture 'mailbox' not found
>       available fixtures: cache, capfd, client, tmp_path""",
        keeps=("conftest.py", "tests/api"),
    ),
    Episode(
        name="mypy optional",
        command="mypy --strict src",
        error="""\
src/shop/cart.py:88: error: Item "None" of "Coupon | None" has no attribute "percent"  [union-attr]
Found 1 error in 1 file (checked 63 source files)""",
        said="`Cart.coupon` is None until apply_coupon() ran, so the discount has to return early when there is no coupon.",
        again="""\
src/shop/cart.py:131: error: Item "None" of "Coupon | None" has no attribute "percent"  [union-attr]
Found 1 error in 1 file (checked 70 source files)""",
        other="""\
src/shop/mail.py:12: error: Incompatible return value type (got "str", expected "bytes")  [return-value]
Found 1 error in 1 file (checked 63 source files)""",
        learnt=None,
    ),
    Episode(
        name="ruff import",
        command="ruff check .",
        error="""\
src/shop/models.py:3:1: TID252 Prefer absolute imports over relative imports from parent modules
  |
3 | from ..money import Money
  | ^^^^^^^^^^^^^^^^^^^^^^^^^ TID252
Found 1 error.""",
        said='This repo bans relative imports (ban-relative-imports = "all" in pyproject.toml); import `shop.money` by its full name instead.',
        again="""\
src/shop/orders/lines.py:9:1: TID252 Prefer absolute imports over relative imports from parent modules
  |
9 | from ..money import Money
  | ^^^^^^^^^^^^^^^^^^^^^^^^^ TID252
Found 1 error.""",
        other="src/shop/models.py:3:1: F401 `decimal.Decimal` imported but unused\nFound 1 error.",
        learnt=None,
    ),
    Episode(
        name="tsc missing property",
        command="npx tsc --noEmit",
        error="""\
src/checkout/total.ts(42,18): error TS2339: Property 'minorUnits' does not exist on type 'Price'.
src/checkout/total.ts(57,9): error TS2339: Property 'minorUnits' does not exist on type 'Price'.""",
        said="The generated client was out of date: `minorUnits` came with API 2.3. Regenerating the types with `npm run codegen` brings it in.",
        ran="npm run codegen",
        again="src/basket/sum.ts(7,31): error TS2339: Property 'minorUnits' does not exist on type 'Price'.",
        other="src/checkout/total.ts(42,18): error TS2339: Property 'exponent' does not exist on type 'Currency'.",
        keeps=("npm run codegen",),
    ),
    Episode(
        name="vite resolve",
        command="npm run build",
        error="""\
vite v5.2.8 building for production...
✗ Build failed in 412ms
error during build:
[vite]: Rollup failed to resolve import "virtual:icons/mdi" from "/home/ann/web/src/Menu.vue".
This is most likely unintended because it can break your application at runtime.""",
        said="The icons plugin is only registered in vite.config.dev.ts. It must be in vite.config.ts too, otherwise the production build does not know virtual:icons.",
        edit={"filePath": "vite.config.ts", "oldString": "plugins: [vue()]", "newString": "plugins: [vue(), icons()]"},
        again="""\
vite v5.4.1 building for production...
✗ Build failed in 1.93s
error during build:
[vite]: Rollup failed to resolve import "virtual:icons/mdi" from "/srv/b/7712/web/src/nav/Menu.vue".
This is most likely unintended because it can break your application at runtime.""",
        other="""\
vite v5.2.8 building for production...
✗ Build failed in 230ms
error during build:
[vite]: Rollup failed to resolve import "lodash-es" from "/home/ann/web/src/Menu.vue".""",
        keeps=("vite.config.ts", "production"),
    ),
    Episode(
        name="npm peer",
        command="npm ci",
        error="""\
npm error code ERESOLVE
npm error ERESOLVE could not resolve
npm error
npm error While resolving: eslint-plugin-tailwind@3.15.1
npm error Found: eslint@9.4.0
npm error A complete log of this run can be found in: /home/ann/.npm/_logs/2026-01-04T10_11_12_131Z-debug-0.log""",
        said="eslint-plugin-tailwind 3 does not accept eslint 9 as a peer. Pin eslint to ^8.57 until the plugin supports flat config.",
        again="""\
npm error code ERESOLVE
npm error ERESOLVE could not resolve
npm error
npm error While resolving: eslint-plugin-tailwind@3.15.2
npm error Found: eslint@9.6.1
npm error A complete log of this run can be found in: /home/ci/.npm/_logs/2026-02-17T01_44_09_002Z-debug-0.log""",
        other="""\
npm error code EINTEGRITY
npm error sha512-abc integrity checksum failed when using sha512: wanted sha512-abc but got sha512-def. (4242 bytes)""",
        learnt=Tier.CANDIDATE,
        keeps=("eslint",),
    ),
    Episode(
        name="pnpm lockfile",
        command="pnpm install --frozen-lockfile",
        error="""\
 ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile" because pnpm-lock.yaml is not up to date with packages/ui/package.json

Note that in CI environments this setting is true by default.""",
        said="Someone bumped packages/ui without the lockfile. `pnpm install --lockfile-only` at the root updates it; commit pnpm-lock.yaml with the change.",
        ran="pnpm install --lockfile-only",
        again="""\
Scope: all 14 workspace projects
 ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile" because pnpm-lock.yaml is not up to date with packages/api/package.json""",
        other=" ERR_PNPM_NO_MATCHING_VERSION  No matching version found for left-pad@99.0.0",
        keeps=("--lockfile-only",),
    ),
    Episode(
        name="cargo feature",
        command="cargo build --release",
        error="""\
   Compiling shop v0.4.1 (/home/ann/shop)
error[E0432]: unresolved import `tokio::net::UnixListener`
  --> src/server.rs:4:5
   |
4  | use tokio::net::UnixListener;
   |     ^^^^^^^^^^^^^^^^^^^^^^^^ no `UnixListener` in `net`

For more information about this error, try `rustc --explain E0432`.
error: could not compile `shop` (bin "shop") due to 1 previous error""",
        said='Tokio is built without its `net` feature here; add "net" to the features in Cargo.toml.',
        edit={"file_path": "Cargo.toml", "old_string": 'features = ["rt"]', "new_string": 'features = ["rt", "net"]'},
        again="""\
   Compiling shop v0.5.0 (/srv/build/shop)
error[E0432]: unresolved import `tokio::net::UnixListener`
  --> src/net/server.rs:19:5
   |
19 | use tokio::net::UnixListener;
   |     ^^^^^^^^^^^^^^^^^^^^^^^^ no `UnixListener` in `net`

error: could not compile `shop` (bin "shop") due to 1 previous error""",
        other="""\
error[E0432]: unresolved import `serde_json::Value`
  --> src/server.rs:4:5
error: could not compile `shop` (bin "shop") due to 1 previous error""",
        keeps=("`net` feature", "Cargo.toml"),
    ),
    Episode(
        name="rust borrow",
        command="cargo test",
        error="""\
error[E0502]: cannot borrow `self.rows` as mutable because it is also borrowed as immutable
   --> src/table.rs:88:13
    |
86  |         for row in self.rows.iter() {
    |                    --------- immutable borrow occurs here
88  |             self.rows.push(row.clone());
    |             ^^^^^^^^^ mutable borrow occurs here

error: could not compile `table` (lib) due to 1 previous error""",
        said="We push to `self.rows` while iterating over it. Collect the clones into a Vec first and extend afterwards.",
        again="""\
error[E0502]: cannot borrow `self.rows` as mutable because it is also borrowed as immutable
   --> src/table.rs:131:17
    |
error: could not compile `table` (lib test) due to 1 previous error""",
        other="""\
error[E0382]: borrow of moved value: `config`
  --> src/main.rs:12:9
error: could not compile `table` (bin) due to 1 previous error""",
        learnt=Tier.CANDIDATE,
        keeps=("Collect the clones",),
    ),
    Episode(
        name="go import cycle",
        command="go build ./...",
        error="""\
package example.org/shop/cmd/shop
	imports example.org/shop/internal/orders
	imports example.org/shop/internal/billing
	imports example.org/shop/internal/orders: import cycle not allowed""",
        said="billing only needed the OrderID type. I moved OrderID into internal/ids, which both orders and billing import.",
        edit={"file_path": "internal/ids/ids.go", "content": "package ids\n"},
        again="""\
package example.org/shop/cmd/shop
	imports example.org/shop/internal/orders
	imports example.org/shop/internal/billing
	imports example.org/shop/internal/orders: import cycle not allowed""",
        other='internal/orders/order.go:7:2: "strings" imported and not used',
        learnt=Tier.CANDIDATE,
    ),
    Episode(
        name="go test race",
        command="cd /home/ann/shop && go test -race ./internal/cache/ 2>&1 | tail -40",
        error="""\
=== RUN   TestCacheEvicts
==================
WARNING: DATA RACE
Write at 0x00c0001a4018 by goroutine 21:
--- FAIL: TestCacheEvicts (0.07s)
    testing.go:1398: race detected during execution of test
FAIL
FAIL	example.org/shop/internal/cache	0.118s
FAIL""",
        said="The eviction goroutine writes `c.size` without holding the lock. Taking c.mu around evict() fixes it.",
        again="""\
=== RUN   TestCacheEvicts
==================
WARNING: DATA RACE
Write at 0x00c000fe0220 by goroutine 94:
--- FAIL: TestCacheEvicts (0.31s)
    testing.go:1465: race detected during execution of test
FAIL
FAIL	example.org/shop/internal/cache	1.007s
FAIL""",
        other="""\
=== RUN   TestOrderTotals
    orders_test.go:41: total = 119, want 120
--- FAIL: TestOrderTotals (0.00s)
FAIL
FAIL	example.org/shop/internal/orders	0.020s""",
        learnt=Tier.CANDIDATE,
        keeps=("lock", "evict"),
    ),
    Episode(
        name="javac symbol",
        command="./gradlew compileJava",
        error="""\
> Task :api:compileJava FAILED
/home/ann/shop/api/src/main/java/org/example/OrderMapper.java:23: error: cannot find symbol
        return OrderDto.builder().build();
                       ^
  symbol:   method builder()
  location: class OrderDto
1 error

FAILURE: Build failed with an exception.""",
        said="Lombok's annotation processor isn't on the path of the :api module; add `annotationProcessor(libs.lombok)` to api/build.gradle.kts.",
        again="""\
> Task :api:compileJava FAILED
/srv/build/shop/api/src/main/java/org/example/order/OrderMapper.java:41: error: cannot find symbol
        return OrderDto.builder().build();
                       ^
  symbol:   method builder()
  location: class OrderDto
1 error

FAILURE: Build failed with an exception.""",
        other="""\
> Task :api:compileJava FAILED
/home/ann/shop/api/src/main/java/org/example/Invoice.java:9: error: incompatible types: String cannot be converted to UUID
1 error

FAILURE: Build failed with an exception.""",
        learnt=Tier.CANDIDATE,
    ),
    Episode(
        name="maven surefire",
        command="mvn -q test",
        error="""\
[ERROR] Tests run: 12, Failures: 0, Errors: 1, Skipped: 0, Time elapsed: 0.811 s <<< FAILURE!
[ERROR] org.example.ClockTest.rollsOver  Time elapsed: 0.02 s  <<< ERROR!
java.lang.IllegalStateException: Mockito cannot mock this class: final class org.example.Clock
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.2.5:test (default-test) on project shop""",
        said="Clock is final, and mockito-core 4 needs the inline mock maker for that. Adding the mockito-inline dependency to pom.xml solves it.",
        again="""\
[ERROR] Tests run: 19, Failures: 0, Errors: 1, Skipped: 2, Time elapsed: 1.304 s <<< FAILURE!
[ERROR] org.example.ClockTest.rollsOver  Time elapsed: 0.09 s  <<< ERROR!
java.lang.IllegalStateException: Mockito cannot mock this class: final class org.example.Clock
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.2.5:test (default-test) on project shop""",
        other="""\
java.lang.IllegalStateException: Duplicate key orders (attempted merging values 1 and 2)
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.2.5:test (default-test) on project shop""",
        learnt=Tier.CANDIDATE,
    ),
    Episode(
        name="git push rejected",
        command="git push origin main",
        error="""\
remote: error: GH006: Protected branch update failed for refs/heads/main.
remote: error: Changes must be made through a pull request.
To github.com:example/shop.git
 ! [remote rejected] main -> main (protected branch hook declined)
error: failed to push some refs to 'github.com:example/shop.git'""",
        said="main is protected: push a branch and open a pull request instead.",
        again="""\
remote: error: GH006: Protected branch update failed for refs/heads/main.
remote: error: Changes must be made through a pull request.
To github.com:example/shop.git
 ! [remote rejected] main -> main (protected branch hook declined)
error: failed to push some refs to 'github.com:example/shop.git'""",
        other="""\
To github.com:example/shop.git
 ! [rejected]        main -> main (fetch first)
error: failed to push some refs to 'github.com:example/shop.git'""",
        learnt=Tier.CANDIDATE,
        keeps=("pull request",),
    ),
    Episode(
        name="docker copy",
        command="docker build -t shop .",
        error="""\
#9 [4/7] COPY dist/ /app/dist/
#9 ERROR: failed to calculate checksum of ref 8d3c2f1a-77aa-4c1e-9f3c-0a1b2c3d4e5f::k2j3h4m9qz7w1x5c8v0b6n2ta: "/dist": not found
ERROR: failed to solve: failed to compute cache key: failed to calculate checksum of ref 8d3c2f1a-77aa-4c1e-9f3c-0a1b2c3d4e5f::k2j3h4m9qz7w1x5c8v0b6n2ta: "/dist": not found""",
        said="`dist` is listed in .dockerignore, so it never reaches the build context. Removing that line fixes the COPY.",
        edit={"file_path": ".dockerignore", "old_string": "node_modules\ndist\n", "new_string": "node_modules\n"},
        again="""\
#11 [5/8] COPY dist/ /app/dist/
#11 ERROR: failed to calculate checksum of ref 11ffee22-0bad-4bad-8bad-ffeeddccbbaa::z9y8x7w1v6u2t5s3r4q0p8o7n: "/dist": not found
ERROR: failed to solve: failed to compute cache key: failed to calculate checksum of ref 11ffee22-0bad-4bad-8bad-ffeeddccbbaa::z9y8x7w1v6u2t5s3r4q0p8o7n: "/dist": not found""",
        other="ERROR: failed to solve: python:3.13-slim-trixi: failed to resolve source metadata for docker.io/library/python:3.13-slim-trixi: not found",
        learnt=Tier.CANDIDATE,
        keeps=(".dockerignore",),
    ),
    Episode(
        name="docker compose port",
        command="docker compose up -d",
        error="Error response from daemon: driver failed programming external connectivity on endpoint shop-db-1 (1f0e9d8c7b6a): Bind for 0.0.0.0:5432 failed: port is already allocated",
        said="A local postgres already holds the port. Set DB_PORT=5433 in .env; compose.yaml maps ${DB_PORT:-5432}.",
        again="Error response from daemon: driver failed programming external connectivity on endpoint shop-db-1 (77aa66bb55cc): Bind for 0.0.0.0:5439 failed: port is already allocated",
        other="Error response from daemon: network shop_default not found",
        edit={
            "file_path": "compose.yaml",
            "old_string": '- "5432:5432"',
            "new_string": '- "${DB_PORT:-5432}:5432"',
        },
        keeps=("DB_PORT",),
    ),
    Episode(
        name="kubectl immutable",
        command="kubectl apply -f deploy/",
        error="""\
service/shop unchanged
The Deployment "shop" is invalid: spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"app":"shop"}}: field is immutable""",
        said="A selector can't be changed in place. Deleting the deployment with --cascade=orphan and applying again worked.",
        ran="kubectl delete deployment shop --cascade=orphan",
        again="""\
service/shop configured
The Deployment "shop" is invalid: spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"app":"shop", "tier":"web"}}: field is immutable""",
        other='Error from server (NotFound): error when deleting "deploy/": ingresses.networking.k8s.io "shop" not found',
        keeps=("--cascade=orphan",),
    ),
    Episode(
        name="terraform lock",
        command="terraform plan",
        error="""\
╷
│ Error: Error acquiring the state lock
│
│ Error message: ConditionalCheckFailedException: The conditional request failed
│ Lock Info:
│   ID:        0d9c8b7a-1111-2222-3333-444455556666
│   Who:       ann@laptop
│   Created:   2026-01-05 07:12:45.120Z
╵""",
        said="The last apply was killed and left its lock. `terraform force-unlock <ID>` releases it once nobody else runs apply.",
        ran="terraform force-unlock -force 0d9c8b7a-1111-2222-3333-444455556666",
        again="""\
╷
│ Error: Error acquiring the state lock
│
│ Error message: ConditionalCheckFailedException: The conditional request failed
│ Lock Info:
│   ID:        aaaabbbb-cccc-dddd-eeee-ffff00001111
│   Who:       ci@runner-7
│   Created:   2026-03-19 22:01:03.771Z
╵""",
        other="""\
╷
│ Error: Unsupported argument
│
│   on main.tf line 12, in resource "aws_s3_bucket" "assets":
│   12:   acl = "private"
╵""",
        keeps=("force-unlock",),
    ),
    Episode(
        name="psql relation",
        command='psql "$DATABASE_URL" -c "select count(*) from invoice_lines"',
        error='ERROR:  relation "invoice_lines" does not exist\nLINE 1: select count(*) from invoice_lines\n                             ^',
        said="The tables live in the `billing` schema, which is not on the search_path: write billing.invoice_lines.",
        again='ERROR:  relation "invoice_lines" does not exist\nLINE 3:   join invoice_lines l on l.invoice_id = i.id\n               ^',
        other='ERROR:  column "total_net" does not exist\nLINE 1: select total_net from orders\n               ^',
        learnt=None,
    ),
    Episode(
        name="alembic heads",
        command="alembic upgrade head",
        error="""\
INFO  [alembic.runtime.migration] Context impl PostgresqlImpl.
ERROR [alembic.util.messaging] Multiple head revisions are present for given argument 'head'; please specify a specific target revision, '<branchname>@head' to narrow to a specific head, or 'heads' for all heads
FAILED: Multiple head revisions are present for given argument 'head'; please specify a specific target revision""",
        said='Two branches each added a migration on top of 4f2a. `alembic merge heads -m "merge"` joins them.',
        ran='alembic merge heads -m "merge"',
        again="""\
2026-02-11 INFO  [alembic.runtime.migration] Context impl PostgresqlImpl.
2026-02-11 ERROR [alembic.util.messaging] Multiple head revisions are present for given argument 'head'; please specify a specific target revision, '<branchname>@head' to narrow to a specific head, or 'heads' for all heads
FAILED: Multiple head revisions are present for given argument 'head'; please specify a specific target revision""",
        other="""\
INFO  [alembic.runtime.migration] Context impl PostgresqlImpl.
ERROR [alembic.util.messaging] Can't locate revision identified by '9c1d'
FAILED: Can't locate revision identified by '9c1d'""",
        keeps=("alembic merge heads",),
    ),
    Episode(
        name="curl unauthorised",
        command="curl -sf -i http://localhost:8080/api/orders",
        error="""\
HTTP/1.1 415 Unsupported Media Type
Content-Type: application/problem+json
Date: Mon, 05 Jan 2026 10:00:00 GMT
{"title":"Unsupported Media Type","status":415,"traceId":"00-aa11bb22cc33-01"}""",
        said="The API only takes application/vnd.shop.v2+json; send that as the Content-Type header.",
        again="""\
HTTP/1.1 415 Unsupported Media Type
Content-Type: application/problem+json
Date: Tue, 17 Feb 2026 23:59:59 GMT
{"title":"Unsupported Media Type","status":415,"traceId":"00-ff99ee88dd77-01"}""",
        other="""\
HTTP/1.1 409 Conflict
Content-Type: application/problem+json
{"title":"Conflict","status":409,"traceId":"00-aa11bb22cc33-01"}""",
        learnt=None,
    ),
    Episode(
        name="make missing header",
        command="make -j8",
        error="""\
gcc -O2 -c src/codec.c -o build/codec.o
src/codec.c:7:10: fatal error: zstd.h: No such file or directory
    7 | #include <zstd.h>
      |          ^~~~~~~~
compilation terminated.
make: *** [Makefile:31: build/codec.o] Error 1""",
        said="",
        ran="sudo apt-get install -y libzstd-dev",
        again="""\
cc -O0 -g -c lib/codec.c -o out/codec.o
lib/codec.c:12:10: fatal error: zstd.h: No such file or directory
   12 | #include <zstd.h>
      |          ^~~~~~~~
compilation terminated.
make[1]: *** [Makefile:44: out/codec.o] Error 1
make: *** [Makefile:9: all] Error 2""",
        other="""\
src/codec.c:9:10: fatal error: lz4frame.h: No such file or directory
compilation terminated.
make: *** [Makefile:31: build/codec.o] Error 1""",
        keeps=("libzstd-dev",),
    ),
    Episode(
        name="cmake linker",
        command="cmake --build build",
        error="""\
[ 87%] Linking CXX executable shop
/usr/bin/ld: CMakeFiles/shop.dir/src/main.cpp.o: in function `main':
main.cpp:(.text+0x1f): undefined reference to `shop::Ledger::open(std::string const&)'
collect2: error: ld returned 1 exit status
make[2]: *** [CMakeFiles/shop.dir/build.make:97: shop] Error 1""",
        said="ledger.cpp was never added to the target. Put src/ledger.cpp into the add_executable list of CMakeLists.txt.",
        again="""\
[ 91%] Linking CXX executable shop
/usr/bin/ld: CMakeFiles/shop.dir/app/main.cpp.o: in function `main':
main.cpp:(.text+0x3a2): undefined reference to `shop::Ledger::open(std::string const&)'
collect2: error: ld returned 1 exit status
make[2]: *** [CMakeFiles/shop.dir/build.make:113: shop] Error 1""",
        other="""\
/usr/bin/ld: CMakeFiles/shop.dir/src/main.cpp.o: in function `main':
main.cpp:(.text+0x1f): undefined reference to `pthread_setname_np'
collect2: error: ld returned 1 exit status""",
        learnt=Tier.CANDIDATE,
        keeps=("ledger.cpp",),
    ),
    Episode(
        name="bundler native",
        command="bundle install",
        error="""\
Installing pg 1.5.6 with native extensions
Gem::Ext::BuildError: ERROR: Failed to build gem native extension.

    current directory: /home/ann/.gems/pg-1.5.6/ext
checking for pg_config... no
Unable to find PostgreSQL client library.""",
        said="The pg gem needs the client headers. On this image they come with libpq-dev.",
        ran="apt-get install -y libpq-dev",
        again="""\
Installing pg 1.5.9 with native extensions
Gem::Ext::BuildError: ERROR: Failed to build gem native extension.

    current directory: /usr/local/bundle/pg-1.5.9/ext
checking for pg_config... no
Unable to find PostgreSQL client library.""",
        other="""\
Could not find compatible versions
Because rails >= 7.1.0 depends on rack >= 2.2.4 and Gemfile depends on rack 2.1.0, version solving has failed.""",
        keeps=("libpq-dev",),
    ),
    Episode(
        name="rspec",
        command="bundle exec rspec spec/models/order_spec.rb",
        error="""\
Failures:

  1) Order#close! refuses a closed order
     Failure/Error: order.close!

     NoMethodError:
       undefined method `closed_at=' for an instance of Order
     # ./app/models/order.rb:31:in `close!'

Finished in 0.41 seconds (files took 2.1 seconds to load)
12 examples, 1 failure""",
        said="The test database lacks the new column; the migration ran in development only. `RAILS_ENV=test bin/rails db:migrate` adds closed_at.",
        ran="RAILS_ENV=test bin/rails db:migrate",
        again="""\
Failures:

  1) Order#close! refuses a closed order
     Failure/Error: order.close!

     NoMethodError:
       undefined method `closed_at=' for an instance of Order
     # ./app/models/order.rb:58:in `close!'

Finished in 1.02 seconds (files took 4.4 seconds to load)
19 examples, 1 failure""",
        other="""\
Failures:

  1) Invoice totals its lines
     Failure/Error: invoice.total

     NoMethodError:
       undefined method `sum_net' for nil
12 examples, 1 failure""",
        keeps=("db:migrate",),
    ),
    Episode(
        name="composer platform",
        command="composer install",
        error="""\
Your lock file does not contain a compatible set of packages. Please run composer update.

  Problem 1
    - league/csv is locked to version 9.15.0 and an update of this package was not requested.
    - league/csv 9.15.0 requires ext-intl * -> it is missing from your system. Install or enable PHP's intl extension.""",
        said="The image lacks ext-intl. In the Dockerfile: `docker-php-ext-install intl` (it needs libicu-dev).",
        again="""\
Your lock file does not contain a compatible set of packages. Please run composer update.

  Problem 1
    - league/csv is locked to version 9.16.0 and an update of this package was not requested.
    - league/csv 9.16.0 requires ext-intl * -> it is missing from your system. Install or enable PHP's intl extension.""",
        other='PHP Fatal error:  Uncaught Error: Class "App\\Mailer" not found in /home/ann/shop/public/index.php:12',
        learnt=Tier.CANDIDATE,
        keeps=("docker-php-ext-install intl",),
    ),
    Episode(
        name="phpunit",
        command="vendor/bin/phpunit",
        error="""\
There was 1 error:

1) Tests\\PriceTest::testRounds
TypeError: App\\Price::__construct(): Argument #2 ($currency) must be of type App\\Currency, string given, called in /home/ann/shop/tests/PriceTest.php on line 18

/home/ann/shop/src/Price.php:11

ERRORS!
Tests: 22, Assertions: 48, Errors: 1.""",
        said="Price takes the Currency enum since the refactoring, no longer a code. The test has to pass Currency::EUR.",
        again="""\
There was 1 error:

1) Tests\\PriceTest::testRounds
TypeError: App\\Price::__construct(): Argument #2 ($currency) must be of type App\\Currency, string given, called in /srv/ci/shop/tests/PriceTest.php on line 44

/srv/ci/shop/src/Price.php:15

ERRORS!
Tests: 31, Assertions: 60, Errors: 1.""",
        other="""\
There was 1 failure:

1) Tests\\CartTest::testEmpty
Failed asserting that 1 matches expected 0.

FAILURES!
Tests: 22, Assertions: 48, Failures: 1.""",
        learnt=Tier.CANDIDATE,
    ),
    Episode(
        name="dotnet nullable",
        command="dotnet build",
        error="""\
/home/ann/Shop/Orders/Order.cs(17,16): error CS8618: Non-nullable property 'Number' must contain a non-null value when exiting constructor. [/home/ann/Shop/Orders/Orders.csproj]

Build FAILED.
    0 Warning(s)
    1 Error(s)""",
        said="EF sets Number itself, so mark the property `required` instead of giving it a default.",
        again="""\
/srv/agent/9/s/Shop/Orders/Order.cs(29,16): error CS8618: Non-nullable property 'Number' must contain a non-null value when exiting constructor. [/srv/agent/9/s/Shop/Orders/Orders.csproj]

Build FAILED.""",
        other="/home/ann/Shop/Orders/Order.cs(3,7): error CS0246: The type or namespace name 'NodaTime' could not be found [/home/ann/Shop/Orders/Orders.csproj]",
        learnt=Tier.CANDIDATE,
        keeps=("`required`",),
    ),
    Episode(
        name="swift sendable",
        command="swift build",
        error="""\
/Users/ann/Shop/Sources/Shop/Cart.swift:24:9: error: capture of 'self' with non-sendable type 'Cart' in a `@Sendable` closure
        self.total += 1
        ^
error: emit-module command failed with exit code 1""",
        said="Cart is shared between tasks under Swift 6 checking. I made Cart an actor and awaited its calls.",
        again="""\
/Users/ci/work/Shop/Sources/Shop/Cart.swift:61:13: error: capture of 'self' with non-sendable type 'Cart' in a `@Sendable` closure
            self.total += 1
            ^
error: emit-module command failed with exit code 1""",
        other="/Users/ann/Shop/Sources/Shop/Cart.swift:9:8: error: no such module 'Logging'\n import Logging",
        learnt=Tier.CANDIDATE,
    ),
    Episode(
        name="bash unbound",
        command="./scripts/release.sh 1.4.0",
        error="./scripts/release.sh: line 22: SIGNING_KEY_ID: unbound variable",
        said="release.sh runs with `set -u` and wants SIGNING_KEY_ID from .envrc. Run `direnv allow` first, or export it.",
        again="./scripts/release.sh: line 37: SIGNING_KEY_ID: unbound variable",
        other="./scripts/release.sh: line 22: gpg2: command not found",
        learnt=Tier.CANDIDATE,
    ),
    Episode(
        name="python import",
        command="python -m shop.cli --help",
        error="""\
Traceback (most recent call last):
  File "/home/ann/shop/src/shop/cli.py", line 3, in <module>
    from shop.cart import Cart
  File "/home/ann/shop/src/shop/cart.py", line 5, in <module>
    from shop.cli import echo
ImportError: cannot import name 'Cart' from partially initialized module 'shop.cart' (most likely due to a circular import) (/home/ann/shop/src/shop/cart.py)""",
        said="cart.py and cli.py import each other. `echo` moved to shop/output.py, which breaks the circle.",
        again="""\
Traceback (most recent call last):
  File "/opt/app/src/shop/cli.py", line 8, in <module>
    from shop.cart import Cart
  File "/opt/app/src/shop/cart.py", line 11, in <module>
    from shop.cli import echo
ImportError: cannot import name 'Cart' from partially initialized module 'shop.cart' (most likely due to a circular import) (/opt/app/src/shop/cart.py)""",
        other="""\
Traceback (most recent call last):
  File "/home/ann/shop/src/shop/cli.py", line 3, in <module>
    from shop.mail import Mailer
ImportError: cannot import name 'Mailer' from 'shop.mail' (/home/ann/shop/src/shop/mail.py)""",
        learnt=Tier.CANDIDATE,
        keeps=("shop/output.py",),
    ),
    Episode(
        name="pip missing module",
        command="python scripts/report.py",
        error="""\
Traceback (most recent call last):
  File "/home/ann/shop/scripts/report.py", line 2, in <module>
    import openpyxl
ModuleNotFoundError: No module named 'openpyxl'""",
        said="",
        ran="pip install openpyxl",
        again="""\
Traceback (most recent call last):
  File "/srv/jobs/report.py", line 9, in <module>
    import openpyxl
ModuleNotFoundError: No module named 'openpyxl'""",
        other="""\
Traceback (most recent call last):
  File "/home/ann/shop/scripts/report.py", line 2, in <module>
    import weasyprint
ModuleNotFoundError: No module named 'weasyprint'""",
        keeps=("pip install openpyxl",),
    ),
    Episode(
        name="jest transform",
        command="npm test",
        error="""\
 FAIL  src/chart.test.ts
  ● Test suite failed to run

    Jest encountered an unexpected token

    /home/ann/web/node_modules/d3-array/src/index.js:1
    export {default as bisect} from "./bisect.js";
    ^^^^^^
    SyntaxError: Unexpected token 'export'

Test Suites: 1 failed, 8 passed, 9 total""",
        said="d3-array ships as ES modules only and Jest ignores node_modules by default. transformIgnorePatterns has to let d3-* through.",
        edit={
            "file_path": "jest.config.js",
            "old_string": "preset: 'ts-jest',",
            "new_string": "preset: 'ts-jest',\n  transformIgnorePatterns: ['node_modules/(?!d3-)'],",
        },
        again="""\
 FAIL  src/graph/chart.test.ts
  ● Test suite failed to run

    Jest encountered an unexpected token

    /srv/build/web/node_modules/d3-array/src/index.js:1
    export {default as bisect} from "./bisect.js";
    ^^^^^^
    SyntaxError: Unexpected token 'export'

Test Suites: 1 failed, 11 passed, 12 total""",
        other="""\
 FAIL  src/cart.test.ts
  ● Cart › adds a line

    TypeError: Cannot read properties of undefined (reading 'lines')

      at Cart.add (src/cart.ts:12:10)

Test Suites: 1 failed, 8 passed, 9 total""",
        keeps=("transformIgnorePatterns",),
    ),
    Episode(
        name="helm",
        command="helm upgrade --install shop ./chart",
        error="Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress",
        said="The release hangs in pending-upgrade from the aborted run. Roll it back with `helm rollback shop 12` and upgrade again.",
        ran="helm rollback shop 12",
        again="Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress",
        other='Error: UPGRADE FAILED: cannot patch "shop" with kind Ingress: admission webhook denied the request',
        keeps=("helm rollback",),
    ),
    Episode(
        name="ansible",
        command="ansible-playbook site.yml",
        error='fatal: [web-3]: FAILED! => {"changed": false, "msg": "Could not find or access \'files/motd\' on the Ansible Controller."}',
        said="The role expects the file below roles/base/files, not in the playbook's folder. Moving files/motd to roles/base/files/motd helps.",
        ran="git mv files/motd roles/base/files/motd",
        again='fatal: [web-11]: FAILED! => {"changed": false, "msg": "Could not find or access \'files/motd\' on the Ansible Controller."}',
        other='fatal: [web-3]: FAILED! => {"changed": false, "msg": "No package matching \'nginx-extras\' is available"}',
        learnt=None,
    ),
]
