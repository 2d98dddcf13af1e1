import { readFile } from 'node:fs/promises'
import { hasLogin, LOGIN_REFUSED } from '../remote/post.ts'

/** Read for each use, so that what is in the file may change. @throws {Error} that names the file and nothing of what is in it */
export async function secretLine(path: string): Promise<string> {
  const text = (await readFile(path, 'utf8')).trim()
  if (!/^[!-~]+$/.test(text)) throw new Error(`"${path}": expected one line of ASCII without spaces`)
  return text
}

export async function secretUrl(path: string, { insecureHttp }: { readonly insecureHttp: boolean }): Promise<string> {
  const text = await secretLine(path)
  const protocol = URL.canParse(text) ? new URL(text).protocol : ''
  if (protocol !== 'https:' && protocol !== 'http:') throw new Error(`"${path}": expected a URL that begins with https://`)
  if (hasLogin(text)) throw new Error(`"${path}": ${LOGIN_REFUSED}`)
  if (protocol === 'http:' && !insecureHttp)
    throw new Error(`"${path}": refuse to send over http, which everybody on the way can read; use https, or --insecure-http`)
  return text
}

export interface Login {
  readonly user: string
  readonly password: string
}

/** Two lines, so that both change at once. @throws {Error} that names the file and nothing of what is in it */
export async function secretLogin(path: string): Promise<Login> {
  const [user = '', password = '', ...rest] = (await readFile(path, 'utf8')).trimEnd().split(/\r?\n/)
  const isComplete = rest.length === 0 && [user, password].every((line) => /^\P{Cc}+$/u.test(line))
  if (!isComplete) throw new Error(`"${path}": expected two lines: the user, then the password`)
  return { user, password }
}
