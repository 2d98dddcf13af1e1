import { execFile, spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import ssh2, { type Connection, type ServerChannel } from 'ssh2'
import { createRemoteSource, type RemoteOptions } from '../../src/gitsync/remote-source.ts'
import { type GitFixture, gitFixture } from './git-fixture.ts'

const run = promisify(execFile)

export interface SshServerOptions {
  /** Whether clients may choose the version of the protocol, as forges let them. Default: true. */
  readonly versions?: boolean
  /** Whether it leaves out files, and sends any by its id. Default: true. */
  readonly filters?: boolean
  readonly hostKeyType?: string
  /** Runs instead of `git-upload-pack`. */
  readonly serve?: (channel: ServerChannel) => void
}

/** An SSH server of our own that runs the real `git-upload-pack`, for whoever has the key `deploy`. */
export async function sshRemote(options: SshServerOptions = {}) {
  const fixture = await gitFixture()
  const file = (name: string) => join(fixture.folder, name)
  await makeKey(file('host'), options.hostKeyType ?? 'ed25519')
  await makeKey(file('deploy'), 'ed25519')
  const path = file('fleet.git')
  await run('git', ['init', '--quiet', '--bare', '--initial-branch=main', path])
  if (options.filters ?? true)
    for (const name of ['allowFilter', 'allowAnySHA1InWant'])
      await run('git', ['-C', path, 'config', `uploadpack.${name}`, 'true'])
  const commands: string[] = []
  const server = new ssh2.Server({ hostKeys: [await readFile(file('host'))] }, (connection) => {
    serve(connection, { deployKey: file('deploy.pub'), commands, options })
  })
  server.listen(0, '127.0.0.1')
  await new Promise<void>((listening) => server.once('listening', () => listening()))
  const { port } = server.address() as { port: number }
  const hostKey = await readFile(file('host.pub'), 'utf8')
  await writeFile(file('known_hosts'), `[127.0.0.1]:${port} ${hostKey}`)
  await fixture.git('remote', 'add', 'origin', path)
  return {
    ...fixture,
    ...{ file, commands, hostKey, port, url: `ssh://git@127.0.0.1:${port}${path}` },
    push: (message: string, files?: Record<string, string>) => push(fixture, message, files),
    source: (more: Partial<RemoteOptions> = {}) =>
      createRemoteSource({
        url: `ssh://git@127.0.0.1:${port}${path}`,
        ref: { branch: 'main' },
        directory: file('objects'),
        ssh: { keyFile: file('deploy'), knownHostsFile: file('known_hosts') },
        ...more,
      }),
    async [Symbol.asyncDispose]() {
      server.close()
      await fixture[Symbol.asyncDispose]()
    },
  }
}

export function makeKey(file: string, type: string, ...more: readonly string[]) {
  const passphrase = more.includes('-N') ? [] : ['-N', '']
  return run('ssh-keygen', ['-q', '-t', type, ...passphrase, '-C', '', '-f', file, ...more])
}

async function push(fixture: GitFixture, message: string, files?: Record<string, string>): Promise<string> {
  const commit = await fixture.commit(message, files)
  await fixture.git('push', '--quiet', '--force', 'origin', 'HEAD:main')
  return commit
}

interface Serving {
  readonly deployKey: string
  readonly commands: string[]
  readonly options: SshServerOptions
}

function serve(connection: Connection, { deployKey, commands, options }: Serving): void {
  connection.on('error', () => {})
  connection.on('authentication', async (context) => {
    if (context.method !== 'publickey') return context.reject(['publickey'])
    const [, base64 = ''] = (await readFile(deployKey, 'utf8')).split(' ')
    const isKnown = context.key.data.equals(Buffer.from(base64, 'base64'))
    const parsed = ssh2.utils.parseKey(await readFile(deployKey))
    const isSigned =
      !context.signature ||
      (!(parsed instanceof Error) && parsed.verify(context.blob ?? '', context.signature, context.hashAlgo) === true)
    return isKnown && isSigned && context.username === 'git' ? context.accept() : context.reject(['publickey'])
  })
  connection.on('session', (accept) => {
    const session = accept()
    const env: Record<string, string> = { PATH: process.env.PATH ?? '' }
    session.on('env', (acceptEnv, reject, info) => {
      if (!(options.versions ?? true)) return reject?.()
      env[info.key] = info.val
      acceptEnv?.()
    })
    session.on('exec', (acceptExec, _, { command }) => {
      commands.push(command)
      const channel = acceptExec()
      if (options.serve) options.serve(channel)
      else answer(channel, command, env)
    })
  })
}

/** As the login shell of a forge: one command, and its path unquoted. */
function answer(channel: ServerChannel, command: string, env: Record<string, string>): void {
  const [, path = ''] = /^git-upload-pack '(.*)'$/.exec(command) ?? []
  const child = spawn('git', ['upload-pack', path.replaceAll(`'\\''`, "'")], { env })
  channel.pipe(child.stdin)
  child.stdin.on('error', () => {})
  child.stdout.pipe(channel, { end: false })
  child.stderr.pipe(channel.stderr, { end: false })
  child.on('close', (code) => {
    channel.exit(code ?? 1)
    channel.end()
  })
}

/** A port where somebody takes connections and says nothing. */
export async function silentPort(): Promise<{ readonly port: number; readonly server: Server }> {
  const server = createServer(() => {}).listen(0, '127.0.0.1')
  await new Promise<void>((listening) => server.once('listening', () => listening()))
  return { port: (server.address() as { port: number }).port, server }
}
