/** A real Gitea beside a cluster, over HTTPS and SSH. */
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { buildBinaries } from '../build/binaries.ts'
import { copiedModule } from '../build/go-build.ts'
import { versions } from '../build/versions.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Daemon } from '../cluster/daemon.ts'
import { waitUntil } from '../cluster/wait.ts'
import { output } from '../exec.ts'
import { type GiteaAddress, type GiteaApi, giteaApi } from './api.ts'
import { giteaSettings } from './settings.ts'

export interface Gitea extends GiteaAddress {
  readonly sshUrl: string
  /** As its administrator. */
  readonly api: GiteaApi
  /** Who owns the repositories of the tests. */
  readonly user: string
  readonly password: string
  /** A new token of that user; gives its text. */
  token(name: string, scopes: readonly string[]): Promise<string>
  revoke(name: string): Promise<void>
  /** Another account that may push to a repository; gives its own token. */
  committer(name: string, repository: string): Promise<string>
  /** The key by which its SSH server proves itself, as PEM. */
  hostKey(): Promise<string>
  stop(): Promise<void>
  start(): Promise<void>
}

/** Gitea refuses to run as root. */
const NOBODY = 65_534
const user = 'platform'
const password = 'only-for-tests-1'

export async function startGitea(cluster: Cluster): Promise<Gitea> {
  const { slot, certificates } = cluster
  const [host, port, sshPort] = [slot.host, 3000, 2222]
  const find = await buildBinaries(['gitea'], () => undefined)
  const source = await copiedModule({ module: 'code.gitea.io/gitea', version: versions.gitea })
  await certificates.issue({ name: 'gitea', user: 'gitea', serves: [`IP:${host}`] })
  const work = join(slot.dir, 'gitea')
  await furnish(work, { 'app.ini': giteaSettings({ work: SEEN, host, port, sshPort }), ...(await pairOf(cluster)) })
  const command = (args: readonly string[]) => [
    ...asNobody({ work, source, binaries: dirname(find('gitea')) }),
    ...[`${SEEN}/bin/gitea`, '-c', `${SEEN}/app.ini`, ...args],
  ]
  const once = async (args: readonly string[]): Promise<string> => {
    const [program = '', ...rest] = command(args)
    return output(program, rest)
  }
  await once(['migrate'])
  const account = ['--username', user, '--password', password, '--email', 'platform@nodewave.example']
  await once(['admin', 'user', 'create', ...account, '--admin', '--must-change-password=false'])
  const address = { url: `https://${host}:${port}`, caFile: certificates.caFile }
  const api = giteaApi(address, `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`)
  let server: Daemon | undefined
  const start = async (): Promise<void> => {
    server = cluster.daemon({ name: 'gitea', command: command(['web']) })
    await waitUntil(async () => (await api.send('/version')).status === 200, { for: 'Gitea to answer' })
  }
  await start()
  return {
    ...address,
    sshUrl: `ssh://git@${host}:${sshPort}`,
    ...{ api, user, password, start },
    async token(name, scopes) {
      return (await api.ask<{ sha1: string }>(`/users/${user}/tokens`, { method: 'POST', body: { name, scopes } })).sha1
    },
    async revoke(name) {
      await api.ask(`/users/${user}/tokens/${name}`, { method: 'DELETE' })
    },
    async committer(name, repository) {
      const body = { username: name, password, email: `${name}@nodewave.example`, must_change_password: false }
      await api.ask('/admin/users', { method: 'POST', body })
      await api.ask(`/repos/${repository}/collaborators/${name}`, { method: 'PUT', body: { permission: 'write' } })
      const own = giteaApi(address, `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`)
      const token = { method: 'POST', body: { name: 'e2e', scopes: ['write:repository'] } } as const
      return (await own.ask<{ sha1: string }>(`/users/${name}/tokens`, token)).sha1
    },
    hostKey: () => readFile(join(work, 'data', 'ssh', 'gitea.rsa'), 'utf8'),
    async stop() {
      await server?.kill('SIGTERM')
    },
  }
}

/** Files for that account, and places for what comes from the cache. */
async function furnish(work: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const path of [work, join(work, 'source'), join(work, 'bin')]) await mkdir(path)
  for (const [name, text] of Object.entries(files)) await writeFile(join(work, name), text)
  for (const name of ['', ...Object.keys(files)]) await chown(join(work, name), NOBODY, NOBODY)
}

async function pairOf({ certificates }: Cluster): Promise<Record<string, string>> {
  const [certificate, key] = [certificates.certFile('gitea'), certificates.keyFile('gitea')]
  return { 'server.crt': await readFile(certificate, 'utf8'), 'server.key': await readFile(key, 'utf8') }
}

/** Where its folder is for it: the cache may be below a folder that only root may enter. The mounts end with the process. */
const SEEN = '/mnt'
const ENTER = `
mount --bind "$2" "$1/source" && mount --bind "$3" "$1/bin" && mount --rbind "$1" ${SEEN} && shift 3 && exec "$@"`

interface Folders {
  readonly work: string
  readonly source: string
  readonly binaries: string
}

function asNobody({ work, source, binaries }: Folders): string[] {
  const place = ['unshare', '--mount', 'sh', '-c', ENTER, 'enter', work, source, binaries]
  const identity = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
  return [...place, ...identity, 'env', '-i', `PATH=${process.env.PATH ?? ''}`, `HOME=${SEEN}`]
}
