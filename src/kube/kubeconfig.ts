import { dirname, resolve } from 'node:path'
import { parse } from 'yaml'
import type { Connection, CredentialSource } from './connection.ts'
import { credentialsFrom, type Material } from './credential-files.ts'
import { readFile } from './file-calls.ts'
import { type ClusterEntry, type ContextEntry, kubeconfigSchema, type UserEntry } from './kubeconfig-schema.ts'

export interface KubeconfigOptions {
  /** The default is the file's `current-context`. */
  readonly context?: string
  /** Runs the user's exec plugin. Left out (by the agent, on whose hosts nothing foreign is run), such a user is an error. */
  readonly plugin?: (file: { readonly path: string; readonly context: string }) => CredentialSource
}

/** A kubeconfig that cannot be used; the message names the file, the entry and what to do. */
export class KubeconfigError extends Error {
  override readonly name: string = 'KubeconfigError'
}

/** No API server is named anywhere. */
export class NoKubeconfigError extends KubeconfigError {
  override readonly name = 'NoKubeconfigError'
}

/**
 * The connection that one context of a kubeconfig file describes. Files it names are relative to it, and followed when
 * they are replaced.
 * @throws {KubeconfigError}
 */
export async function loadKubeconfig(path: string, options: KubeconfigOptions = {}): Promise<Connection> {
  const { name, context, cluster, user } = await readContext(path, options.context)
  const server = serverOf(cluster, path)
  return {
    server,
    ...(cluster['tls-server-name'] && { tlsServerName: cluster['tls-server-name'] }),
    ...(cluster['insecure-skip-tls-verify'] && { insecureSkipTlsVerify: true }),
    ...(context.namespace && { namespace: context.namespace }),
    credentials:
      user.exec || user['auth-provider']
        ? pluginOf({ path, context: name }, context.user ?? '', options)
        : credentialsFrom(materialsOf(cluster, user, path)),
  }
}

/** What may be chosen in a file, and what is unless something is. @throws {KubeconfigError} */
export async function contextsOf(path: string): Promise<{ readonly names: readonly string[]; readonly current?: string }> {
  const { contexts, 'current-context': current } = await readDocument(path)
  return { names: contexts.map(({ name }) => name), ...(current && { current }) }
}

interface Selected {
  readonly name: string
  readonly context: ContextEntry
  readonly cluster: ClusterEntry
  readonly user: UserEntry
}

async function readContext(path: string, wanted: string | undefined): Promise<Selected> {
  const document = await readDocument(path)
  const { contexts, clusters, users } = document
  const name = wanted ?? document['current-context']
  if (!name) throw new KubeconfigError(`choose a context: "${path}" has no current-context; it has ${namesOf(contexts)}`)
  const context = entry(contexts, name, { kind: 'context', path }).context
  const { cluster } = entry(clusters, context.cluster, { kind: 'cluster', path })
  const user = context.user ? entry(users, context.user, { kind: 'user', path }).user : undefined
  return { name, context, cluster, user: user ?? {} }
}

async function readDocument(path: string) {
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw new KubeconfigError(`failed to read kubeconfig "${path}": ${cause.code}`, { cause })
  })
  try {
    const { clusters, users, contexts, ...rest } = kubeconfigSchema.parse(parse(text) ?? {})
    return { ...rest, clusters: clusters ?? [], users: users ?? [], contexts: contexts ?? [] }
  } catch (cause) {
    throw new KubeconfigError(`failed to parse kubeconfig "${path}": ${reasonOf(cause)}`, { cause })
  }
}

/** Never quotes the text itself: it holds secrets, and the YAML parser's message would show the line. */
function reasonOf(cause: unknown): string {
  const { issues, code, linePos } = Object(cause)
  if (Array.isArray(issues)) return issues.map(({ path, message }) => `${path?.join('.')}: ${message}`).join('; ')
  return linePos ? `it is not valid YAML: ${code} at line ${linePos[0].line}` : 'it is not valid YAML'
}

function entry<T extends { readonly name: string }>(
  entries: readonly T[],
  name: string,
  { kind, path }: { readonly kind: string; readonly path: string },
): T {
  const found = entries.find((one) => one.name === name)
  if (found) return found
  throw new KubeconfigError(`failed to find ${kind} "${name}" in "${path}": it has ${namesOf(entries)}`)
}

function namesOf(entries: readonly { readonly name: string }[]): string {
  return entries.map(({ name }) => `"${name}"`).join(', ') || 'none'
}

function serverOf(cluster: ClusterEntry, path: string): string {
  if (cluster['proxy-url'])
    throw new KubeconfigError(`remove proxy-url from "${path}": connections through a proxy are not supported`)
  if (URL.canParse(cluster.server) && /^https?:/.test(cluster.server)) return cluster.server
  throw new KubeconfigError(`correct server "${cluster.server}" in "${path}": it must be a URL like "https://10.0.0.1:6443"`)
}

function pluginOf(file: { path: string; context: string }, user: string, { plugin }: KubeconfigOptions): CredentialSource {
  if (plugin) return plugin(file)
  throw new KubeconfigError(
    `user "${user}" in "${file.path}" needs a credential plugin, which is not run here: use a token or a client certificate`,
  )
}

function materialsOf(cluster: ClusterEntry, user: UserEntry, path: string) {
  const folder = dirname(path)
  const ca = material(cluster['certificate-authority-data'], cluster['certificate-authority'], folder)
  const cert = material(user['client-certificate-data'], user['client-certificate'], folder)
  const key = material(user['client-key-data'], user['client-key'], folder)
  const token: Material | undefined = user.tokenFile
    ? { file: resolve(folder, user.tokenFile) }
    : user.token
      ? { text: user.token }
      : undefined
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }), ...(token && { token }) }
}

/** As in kubectl, data given in the file itself wins over a path. */
function material(data: string | undefined, file: string | undefined, folder: string): Material | undefined {
  if (data) return { text: Buffer.from(data, 'base64').toString('utf8') }
  return file ? { file: resolve(folder, file) } : undefined
}
