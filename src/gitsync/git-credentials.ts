import { readFile } from 'node:fs/promises'
import { GitSyncError } from './git-sync-error.ts'

/** Files, as a mounted Secret has them; read for every request, so a rotated one is used at once. */
export type GitCredentials =
  | { readonly kind: 'basic'; readonly usernameFile: string; readonly passwordFile: string }
  | { readonly kind: 'bearer'; readonly tokenFile: string }

/** The value of the Authorization header. @throws {GitSyncError} `CredentialsUnreadable` */
export async function authorizationOf(credentials: GitCredentials): Promise<string> {
  if (credentials.kind === 'bearer') return `Bearer ${await secret(credentials.tokenFile)}`
  const [username, password] = await Promise.all([secret(credentials.usernameFile), secret(credentials.passwordFile)])
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

async function secret(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (cause) {
    throw new GitSyncError(`failed to read credentials "${path}"`, { reason: 'CredentialsUnreadable', cause })
  }
}
