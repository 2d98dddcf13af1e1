/** What Gitea reads when it starts. Nothing is expanded in this file. */
export interface GiteaPlace {
  /** Its folder, with its certificate, and the templates and options that are not in the binary. */
  readonly work: string
  readonly host: string
  readonly port: number
  readonly sshPort: number
}

export function giteaSettings({ work, host, port, sshPort }: GiteaPlace): string {
  return `WORK_PATH = ${work}
RUN_MODE = prod
[server]
PROTOCOL = https
CERT_FILE = ${work}/server.crt
KEY_FILE = ${work}/server.key
HTTP_ADDR = ${host}
HTTP_PORT = ${port}
ROOT_URL = https://${host}:${port}/
STATIC_ROOT_PATH = ${work}/source
OFFLINE_MODE = true
LFS_START_SERVER = false
START_SSH_SERVER = true
SSH_DOMAIN = ${host}
SSH_LISTEN_HOST = ${host}
SSH_PORT = ${sshPort}
SSH_LISTEN_PORT = ${sshPort}
BUILTIN_SSH_SERVER_USER = git
[database]
DB_TYPE = sqlite3
[security]
INSTALL_LOCK = true
SECRET_KEY = only-for-tests
INTERNAL_TOKEN = only-for-tests
[webhook]
; Its own network, which it refuses otherwise. The certificate is of an authority that only the tests know.
ALLOWED_HOST_LIST = private
SKIP_TLS_VERIFY = true
[queue]
; A webhook comes after 0.2 s and not after a second.
TYPE = channel
[indexer]
ISSUE_INDEXER_TYPE = db
[service]
DISABLE_REGISTRATION = true
[actions]
ENABLED = false
[packages]
ENABLED = false
[mailer]
ENABLED = false
[log]
MODE = console
LEVEL = Warn
`
}
