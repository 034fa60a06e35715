"""Words in names: those of secrets, those that say it is none, and vendors of keys. Data only."""

# The last word of the name of a password.
PASSWORDS = frozenset(
    "password passwd passphrase passcode pwd pw psw passwort kennwort userpass dbpass dbpassword rootpass "
    "userpassword adminpassword mypassword passwords pgpassword sshpass keypass storepass motdepasse senha "
    "contrasena clave wachtwoord passe parola heslo sandi adgangskode adgangskoden kodeordet "
    "passord passordet hasla lozinka lozinke salasana requirepass masterauth psk rootpw bindpw adminpw userpw".split()
)
# Names of secrets made of digits, and the words before `code` that make it one.
PINS = frozenset("pin puk pincode otp".split())
CODE_KINDS = frozenset(
    "access door gate alarm unlock security entry safe pin otp verification login auth 2fa mfa sms".split()
)
# A user and a password may follow these.
LOGINS = frozenset(
    "login logins logged auth cred creds credential credentials basicauth authentication authenticate connect "
    "connection pdo mysqli hmac fernet totp jwt wifi zugangsdaten aes cipher serializer encrypt decrypt crypt "
    "sym addlogin".split()
)
# The first argument of these is not a user.
SIGNERS = frozenset("hmac fernet totp jwt aes cipher serializer encrypt decrypt crypt".split())
# The last word of the name of something generated.
TOKENS = frozenset(
    "token secret secrets segredo segreto geheimnis jeton credential credentials creds cred apikey apitoken "
    "accesstoken authtoken accesskey "
    "secretkey privatekey clientsecret appsecret apisecret authkey masterkey signingkey encryptionkey appkey "
    "licensekey accountkey sharedkey sharedaccesskey storagekey refreshtoken idtoken bearer jwt pat "
    "authorization bottoken usertoken secretid oauthtoken totp webhooksecret sharedsecret signingsecret "
    "consumersecret consumerkey sessiontoken deploytoken personaltoken servicekey servertoken secrettoken "
    "secretaccesskey accesskeysecret".split()
)
TOKEN_ENDINGS = tuple("password passwd token secret apikey accesskey secretkey privatekey credential".split())
# Words before `key` that make it secret.
KEY_KINDS = frozenset(
    "api access secret private auth authentication encryption encrypt signing sign master account client app "
    "application shared license licence service session deploy storage server webhook hmac aes rsa admin user "
    "consumer integration project production prod live test sandbox write read rest sdk developer subscription "
    "functions function host decryption symmetric root bot jwt cipher security personal team org organization "
    "ingest bearer".split()
)
WEAK = frozenset(
    "access api key keys auth session sid sess sessionid phpsessid jsessionid cookie signature sig salt nonce "
    "seed tokens signing sign community code".split()
)
# After the name of a secret these say that the value is about it, not the secret itself.
ABOUT = frozenset(
    "length len min max minimum maximum size count ttl expiry expires expire expiration exp timeout url uri "
    "path file filename dir directory folder name names type types kind format policy field fields label hint "
    "placeholder prefix suffix header headers algorithm alg algo regex pattern rotation reset version usage "
    "limit limits bucket index enabled required input column class status manager provider store endpoint at in "
    "from of error errors msg message link page form description desc title help text prompt hash hashes hashed "
    "digest sha sha1 sha256 md5 checksum fingerprint thumbprint valid validator validation verify verified "
    "check strength change changed created updated issuer audience aud scope scopes lifetime age refresh "
    "interval retry retries budget budgets estimate cost costs used total rate window location ref reference "
    "source mode variable var vars param params parameter arg mapping map list array set group "
    "groups role roles permission permissions id ids uuid guid alias".split()
)
# Before `token` or `key` these say that it is not a secret one.
OTHER_TOKENS = frozenset(
    "public csrf xsrf continuation next page cursor pagination start end sync resume eos bos pad unk stop mask "
    "sep cls special max min num total prompt completion cached reasoning no color theme design symbol".split()
)
OTHER_KEYS = OTHER_TOKENS | frozenset(
    "primary foreign partition sort cache idempotency row object hot map dict hash index natural composite "
    "unique surrogate candidate lookup group routing shard document dedup deduplication metric translation "
    "message i18n locale registry pub input output with option config json yaml property react arrow hotkey "
    "modifier press down up file column field event query state tag label sorting ordering filter ticker".split()
)
# Vendors: beside an assignment the name is enough for a random value of the right size.
VENDORS = (
    "1password abuseipdb adafruit adobe affinda ahrefs airbrake airtable aiven algolia alibaba aliyun "
    "alphavantage amplitude anthropic apify appcenter appveyor artifactory asana assemblyai atlassian auth0 "
    "authress autodesk avaza aviationstack aws axiom azure backblaze baidu baremetrics beamer betterstack "
    "binance bingmaps bitbucket bitfinex bitly bitmex bittrex blockchain brandfetch braintree brevo "
    "browserstack bugsnag buildkite bunny buttercms calendarific calendly caspio chargebee chargify checkr "
    "circleci cisco clearbit clerk clickhouse clickup clojars cloudconvert cloudflare cloudinary cloudsmith "
    "cockroach codacy codeclimate codecov cohere coinapi coinbase coinmarketcap confluent contentful "
    "contentstack convertkit couchbase coveralls crowdin cryptocompare currencylayer cypress databento "
    "databricks datadog deepgram deepseek delighted detectlanguage dialpad digitalocean discord disqus docusign "
    "doppler dropbox duffel dwolla dynatrace easypost ebay elevenlabs endor etsy eventbrite facebook fastly "
    "fastspring fauna figma finage finicity finnhub firebase fireworks flickr flightapi flutterwave flyio "
    "foursquare frameio frame.io freemius freshbooks freshdesk fullstory gcp geocodio getresponse giphy github "
    "gitlab gitea gitter gladly gocardless google grafana graphcms groq gumroad hackerone hashicorp hellosign "
    "helpscout heroku hetzner honeybadger honeycomb hubspot huggingface hunterio imgur infracost infura alchemy "
    "insomnia instagram intercom intra42 ipinfo ipstack jfrog jira jumpcloud kaggle kraken kucoin langchain "
    "langfuse langsmith lark launchdarkly lemonsqueezy linkedin linode livekit loggly logdna logz looker "
    "mailchimp mailersend mailgun mailjet mailtrap mandrill mapbox maptiler mattermost maxmind meilisearch "
    "meraki messagebird mixpanel mollie mongodb moonpay netlify newrelic new_relic nexmo ngrok nuget nylas "
    "nytimes nvidia octopus okta ollama oneandone onelogin onesignal openai openrouter openshift openweather "
    "opsgenie optimizely packagecloud paddle pagerduty pastebin paypal paystack pendo perplexity pexels pinata "
    "pinecone pipedrive plaid planetscale plivo postageapp posthog postman postmark prefect privateai "
    "private_ai pubnub pulumi pusher pypi quickbooks rabbitmq railway rapidapi raygun razorpay recaptcha "
    "recurly reddit replicate resend ringcentral rollbar rubygems salesforce saucelabs scalingo scaleway "
    "scrapingbee semaphore sendbird sendgrid sendinblue sentry serpapi settlemint shippo shodan shopify sidekiq "
    "signalwire slack smartsheet snowflake snyk sonar sourcegraph splunk spotify squarespace squareup "
    "statuspage storyblok strava stripe stytch sumologic supabase svix tailscale tatum tavily telegram telnyx "
    "tencent terraform ticketmaster tiktok todoist tomtom transifex travis trello tumblr twilio twitch twitter "
    "typeform unsplash upcloud upstash uptimerobot urlscan vercel virustotal vimeo voyage vonage vultr wakatime "
    "weatherstack webex webflow wechat wepay whatsapp woocommerce workos wrike xero yandex yelp youtube zapier "
    "zendesk zenserp zeplin zoho zulip newyorktimes bintray sourceforge".split()
)
# Vendors whose name is also an ordinary word: only as a whole word of the name.
WORDY_VENDORS = frozenset(
    "amazon apollo bamboo bunny buddy courier crates docker drone droneci elastic expo fixer gemini ghost "
    "guardian harness ibm keen linear mistral monday mux nasa neon notion npm oracle persona pivotal polygon "
    "readme riot runway segment shortcut square stability stream sumo surge tines together xray zoom confluence "
    "rancher plaid lob".split()
)
