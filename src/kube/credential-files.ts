import type { CredentialSource, Credentials } from './connection.ts'
import { readFile, stat } from './file-calls.ts'
import { KubeError } from './kube-api.ts'
import { systemTimers, type Timers } from './timers.ts'

/** A text given at once, or a file that others may replace at any time. */
export type Material = { readonly text: string } | { readonly file: string }

/** A file is looked at this often at most, in milliseconds: a burst of requests costs one look. */
const LOOK_EVERY = 1000

/**
 * Credentials that follow their files: rotated tokens and client certificates (`kubelet-client-current.pem` is a
 * symlink that moves on) are used from the next request on.
 */
export function credentialsFrom(
  materials: { readonly [Part in keyof Credentials]?: Material },
  timers: Timers = systemTimers,
): CredentialSource {
  const readers = Object.entries(materials).map(([part, material]) => [part, readerOf(material, timers)] as const)
  return async (options) => {
    const texts = await Promise.all(readers.map(async ([part, read]) => [part, await read(options?.refused ?? false)]))
    return Object.fromEntries(texts)
  }
}

type Reader = (now: boolean) => Promise<string>

function readerOf(material: Material, timers: Timers): Reader {
  return 'text' in material ? async () => material.text : fileReader(material.file, timers)
}

function fileReader(path: string, timers: Timers): Reader {
  let known: { readonly text: string; readonly version: string } | undefined
  let lookedAt = 0
  return async (now) => {
    if (known && !now && timers.elapsed() - lookedAt < LOOK_EVERY) return known.text
    const version = await versionOf(path)
    if (known?.version !== version) known = { text: await read(path), version }
    lookedAt = timers.elapsed()
    return known.text
  }
}

/** Follows symlinks, so one that was moved to another file shows. */
async function versionOf(path: string): Promise<string> {
  const { dev, ino, size, mtimeNs } = await orUnreadable(path, stat(path, { bigint: true }))
  return [dev, ino, size, mtimeNs].join(':')
}

async function read(path: string): Promise<string> {
  return (await orUnreadable(path, readFile(path, 'utf8'))).trim()
}

/** Code 0, because a file in the middle of its rotation is there again soon. */
async function orUnreadable<T>(path: string, result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (cause) {
    const { code } = Object(cause)
    throw new KubeError(`failed to read credentials "${path}": ${code}`, { code: 0, reason: 'CredentialsUnreadable', cause })
  }
}
