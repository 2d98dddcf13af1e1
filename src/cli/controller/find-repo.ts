import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { posix, resolve } from 'node:path'
import type { GitCredentials } from '../../gitsync/git-credentials.ts'
import type { ClientCertificate } from '../../gitsync/git-http.ts'
import { createLocalSource } from '../../gitsync/local-source.ts'
import { locateRepo } from '../../gitsync/locate-repo.ts'
import { createRemoteSource } from '../../gitsync/remote-source.ts'
import type { RepoSource } from '../../gitsync/repo-source.ts'
import { parseSshAddress } from '../../gitsync/ssh-address.ts'
import type { SshFiles } from '../../gitsync/ssh-connection.ts'
import { repositoryFolder } from '../repository-folder.ts'
import { type GitOptions, remoteLimitsOf } from './git-options.ts'
import { appTokens, type GithubAppOptions } from './github-app-options.ts'
import { makeOwnFolder, systemProcesses } from './own-folder.ts'
import { type RefOptions, refOf } from './ref-options.ts'

export interface RepoOptions extends GitOptions, RefOptions, GithubAppOptions {
  /** `https://…`, `ssh://…`, `git@host:…`, or a path on this machine, relative to `cwd`. */
  readonly repo: string
  /** Folder of the fleet in the repository, or below the path. */
  readonly path?: string
  /** Where the clone is kept. Default: the system's folder of temporary files. */
  readonly stateDir?: string
  readonly usernameFile?: string
  readonly passwordFile?: string
  readonly tokenFile?: string
  readonly caFile?: string
  readonly clientCertFile?: string
  readonly clientKeyFile?: string
  readonly sshKeyFile?: string
  readonly sshKnownHostsFile?: string
  readonly cwd: string
}

export interface FoundRepo {
  readonly source: RepoSource
  /** Of the fleet, from the root of the repository. */
  readonly folder: string
  /** Takes away what was only needed meanwhile. */
  close(): Promise<void>
}

/** @throws {Error} saying which option is wrong, and what to write instead. */
export async function findRepo(options: RepoOptions): Promise<FoundRepo> {
  const path = repositoryFolder(options.path ?? '', '--path')
  if (/^https?:\/\//.test(options.repo) || parseSshAddress(options.repo)) return remoteRepo(options, path)
  if (/^[a-z+]+:\/\/|^[^/]+@[^/]+:/.test(options.repo))
    throw new Error(`unsupported repository "${options.repo}": expected an https:// or ssh:// URL without a password, or a path`)
  const found = await locateRepo(resolve(options.cwd, options.repo))
  const ref = refOf(options)
  const source = createLocalSource({ path: resolve(options.cwd, options.repo), ...(ref && { ref }) })
  return { source, folder: posix.join(found.folder, path).replace(/^\.$/, ''), close: async () => {} }
}

async function remoteRepo(options: RepoOptions, folder: string): Promise<FoundRepo> {
  const { repo: url, caFile, stateDir, cwd } = options
  const credentials = credentialsOf(options)
  const ssh = sshFilesOf(options)
  const clientCertificate = clientCertificateOf(options)
  const parent = stateDir === undefined ? tmpdir() : resolve(cwd, stateDir)
  await mkdir(parent, { recursive: true })
  const directory = await makeOwnFolder(parent, systemProcesses())
  const trust = { insecureHttp: options.insecureHttp ?? false, ...(caFile !== undefined && { caFile: resolve(cwd, caFile) }) }
  const limits = remoteLimitsOf(options)
  return {
    source: createRemoteSource({
      url,
      ref: refOf(options) ?? { branch: 'main' },
      folder,
      directory,
      ...limits,
      ...trust,
      ...(credentials && { credentials }),
      ...(ssh && { ssh }),
      ...(clientCertificate && { clientCertificate }),
    }),
    folder,
    close: () => rm(directory, { recursive: true, force: true }),
  }
}

function credentialsOf(options: RepoOptions): GitCredentials | undefined {
  const { usernameFile, passwordFile, tokenFile, cwd } = options
  const tokens = appTokens(options, { contents: 'read' })
  if (tokens) {
    if (usernameFile ?? passwordFile ?? tokenFile)
      throw new Error('--github-app-id excludes --token-file, --username-file and --password-file; use one or the other')
    return { kind: 'app', tokens }
  }
  if (tokenFile !== undefined) {
    if (usernameFile !== undefined || passwordFile !== undefined)
      throw new Error('--token-file excludes --username-file and --password-file; use one or the other')
    return { kind: 'bearer', tokenFile: resolve(cwd, tokenFile) }
  }
  if (usernameFile === undefined && passwordFile === undefined) return undefined
  if (usernameFile === undefined || passwordFile === undefined)
    throw new Error('--username-file and --password-file need each other')
  return { kind: 'basic', usernameFile: resolve(cwd, usernameFile), passwordFile: resolve(cwd, passwordFile) }
}

function clientCertificateOf({ repo, clientCertFile, clientKeyFile, cwd }: RepoOptions): ClientCertificate | undefined {
  if (clientCertFile === undefined && clientKeyFile === undefined) return undefined
  if (clientCertFile === undefined || clientKeyFile === undefined)
    throw new Error('--client-cert-file and --client-key-file need each other')
  if (!repo.startsWith('https:')) throw new Error('--client-cert-file is for an https:// URL')
  return { certFile: resolve(cwd, clientCertFile), keyFile: resolve(cwd, clientKeyFile) }
}

/** The key of the host is always checked, so both are needed. */
function sshFilesOf({ repo, sshKeyFile, sshKnownHostsFile, cwd }: RepoOptions): SshFiles | undefined {
  const isSsh = parseSshAddress(repo) !== undefined
  if (!isSsh && sshKeyFile === undefined && sshKnownHostsFile === undefined) return undefined
  if (!isSsh) throw new Error('--ssh-key-file and --ssh-known-hosts-file are for an ssh:// URL')
  if (sshKeyFile === undefined || sshKnownHostsFile === undefined)
    throw new Error(`--repo ${repo} needs --ssh-key-file and --ssh-known-hosts-file`)
  return { keyFile: resolve(cwd, sshKeyFile), knownHostsFile: resolve(cwd, sshKnownHostsFile) }
}
