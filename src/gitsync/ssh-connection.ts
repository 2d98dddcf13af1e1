import { readFile } from 'node:fs/promises'
import type { Client } from 'ssh2'
import { GitSyncError } from './git-sync-error.ts'
import { type KnownHostKey, knownHostKeys } from './known-hosts.ts'
import { loadSsh } from './load-ssh.ts'
import type { SshAddress } from './ssh-address.ts'

/** Files, as a mounted Secret has them; read for every connection. */
export interface SshFiles {
  readonly keyFile: string
  readonly knownHostsFile: string
}

export interface ConnectOptions {
  readonly address: SshAddress
  readonly files: SshFiles
  /** Milliseconds until the server has let us in. */
  readonly timeout: number
  readonly signal: AbortSignal
}

/** A connection to a host whose key is known. @throws {GitSyncError} */
export async function connectSsh({ address, files, timeout, signal }: ConnectOptions): Promise<Client> {
  const { host, port, username } = address
  const known = knownHostKeys(await read(files.knownHostsFile, '--ssh-known-hosts-file'), address)
  if (known.length === 0) throw unknownHost(address, files)
  const privateKey = await usableKey(await read(files.keyFile, '--ssh-key-file'), files)
  const ssh = await loadSsh()
  signal.throwIfAborted()
  const client = new ssh.Client()
  let refused: GitSyncError | undefined
  const ready = new Promise<void>((resolve, reject) => {
    client.once('ready', resolve)
    // Later ones, too: an error that nobody hears ends the process.
    client.on('error', (error) => reject(refused ?? explained(error, { address, files })))
    client.once('close', () => reject(refused ?? signal.reason ?? unreachable('the server ended the connection')))
    signal.addEventListener('abort', () => client.destroy(), { once: true })
  })
  client.connect({
    ...{ host, port, username, privateKey, readyTimeout: timeout },
    algorithms: { serverHostKey: algorithmsOf(known) },
    hostVerifier: (key: Buffer) => {
      const isKnown = known.some(({ blob }) => blob.equals(key))
      if (!isKnown) refused = changedHost(address, files)
      return isKnown
    },
  })
  await ready
  return client
}

type HostAlgorithms = NonNullable<NonNullable<Parameters<Client['connect']>[0]['algorithms']>['serverHostKey']>

/** A host has several keys, and shows one of a type that it is asked for. `ssh-rsa` as an algorithm is of SHA-1. */
function algorithmsOf(known: readonly KnownHostKey[]): HostAlgorithms {
  const names = known.flatMap(({ type }) => (type === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256'] : [type]))
  return [...new Set(names)] as HostAlgorithms
}

/** @returns the text: with a key that it has parsed itself, ssh2 fails to log in */
async function usableKey(text: string, { keyFile }: SshFiles): Promise<string> {
  const ssh = await loadSsh()
  const parsed = ssh.utils.parseKey(text)
  const first = Array.isArray(parsed) ? parsed[0] : parsed
  if (first && !(first instanceof Error) && first.isPrivateKey()) return text
  const why = first instanceof Error ? whyUnusable(text, first) : 'it holds a public key'
  throw new GitSyncError(`failed to use the key "${keyFile}" of --ssh-key-file: ${why}`, { reason: 'CredentialsUnreadable' })
}

function whyUnusable(text: string, error: Error): string {
  if (/ENCRYPTED/.test(text) || /passphrase/i.test(error.message))
    return 'it is encrypted; use one without a passphrase: ssh-keygen -p -N "" -f KEY'
  if (/BEGIN PRIVATE KEY/.test(text)) return 'it is in the format PKCS#8; convert it: ssh-keygen -p -N "" -f KEY'
  return 'it is no private key of SSH; make one: ssh-keygen -t ed25519 -N "" -f KEY'
}

async function read(path: string, option: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new GitSyncError(`failed to read "${path}" of ${option}`, { reason: 'CredentialsUnreadable', cause })
  }
}

interface Reached {
  readonly address: SshAddress
  readonly files: SshFiles
}

function explained(error: Error & { level?: string }, { address, files }: Reached): GitSyncError {
  if (error.level !== 'client-authentication') return unreachable(error.message, error)
  const who = `"${address.username}" at "${placeOf(address)}"`
  return new GitSyncError(
    `failed to log in as ${who}: the server refuses the key "${files.keyFile}"; add its public key there as a deploy key that may read`,
    { reason: 'Unauthorized', cause: error },
  )
}

function unreachable(why: string, cause?: unknown): GitSyncError {
  return new GitSyncError(`failed to reach the repository: ${why}`, { reason: 'Unreachable', cause })
}

function unknownHost(address: SshAddress, { knownHostsFile }: SshFiles): GitSyncError {
  const port = address.port === 22 ? '' : `-p ${address.port} `
  return new GitSyncError(
    `failed to trust "${placeOf(address)}": "${knownHostsFile}" has no key of it; add the line of "ssh-keyscan ${port}${address.host}", ` +
      'after comparing it with what the forge publishes',
    { reason: 'HostKeyUnknown' },
  )
}

function changedHost(address: SshAddress, { knownHostsFile }: SshFiles): GitSyncError {
  return new GitSyncError(
    `refuse to talk to "${placeOf(address)}": its key is not the one that "${knownHostsFile}" has; somebody may stand between, or the forge has a new key`,
    { reason: 'HostKeyChanged' },
  )
}

function placeOf({ host, port }: SshAddress): string {
  return port === 22 ? host : `${host}:${port}`
}
