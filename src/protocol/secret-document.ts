import * as z from 'zod/mini'
import type { HostFile } from './host-document.ts'
import { ProtocolError } from './protocol-error.ts'

const secretFile = z.strictObject({
  content: z.optional(z.string()),
  contentBase64: z.optional(z.string()),
  /** Keyed with what only the controller has: nobody can find out a short secret by trying contents against the digest. */
  hash: z.string(),
})

const secretDocument = z.strictObject({ files: z.record(z.string(), secretFile) })

/** The `secret` document: contents of files of the host document that only this node may read, by path. */
export type SecretDocument = z.infer<typeof secretDocument>

/** @throws {ProtocolError} that quotes nothing of the document */
export function parseSecretDocument(text: string): SecretDocument {
  const result = secretDocument.safeParse(parseJson(text))
  if (result.success) return result.data
  throw new ProtocolError('secret document is malformed')
}

/** A parser's own words would quote what stands there. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The files with their secret contents in them. @throws {ProtocolError} when one is not there */
export function withSecrets(files: readonly HostFile[], text: string | undefined): HostFile[] {
  if (!files.some(({ secret }) => secret)) return [...files]
  const contents = text === undefined ? {} : parseSecretDocument(text).files
  return files.map(({ secret, ...file }) => {
    if (!secret) return file
    const found = Object.hasOwn(contents, file.path) ? contents[file.path] : undefined
    if (!found) throw new ProtocolError(`secret document has no content for "${file.path}"`)
    const { hash: _hash, ...content } = found
    return { ...file, ...content }
  })
}

/** What may be shown of it: of each file its hash. */
export function shownSecrets(text: string | undefined): Readonly<Record<string, string>> {
  if (text === undefined) return {}
  return Object.fromEntries(Object.entries(parseSecretDocument(text).files).map(([path, { hash }]) => [path, hash]))
}
