import { canonicalJson } from '../protocol/digest.ts'
import type { SecretDocument } from '../protocol/secret-document.ts'
import type { FleetModel } from '../repo/model.ts'
import type { HostFileSpec, SecretSource } from '../repo/schema/host-profile.ts'
import { refText } from '../repo/secret-ref.ts'
import { encryptedForm } from '../repo/sops-document.ts'
import type { LayerSubject } from './layers.ts'
import { contentOf, fileLayers } from './render-host.ts'
import { sealedHash } from './sealed-hash.ts'

type SecretFile = SecretDocument['files'][string]

/** @returns undefined when no file of the subject is a secret */
export function renderSecretDocument(model: FleetModel, subject: LayerSubject): string | undefined {
  const last = new Map(fileLayers(model, subject).map(({ value }) => [value.path, value]))
  const files = [...last.values()].flatMap((file) => secretFileOf(model, file))
  return files.length === 0 ? undefined : canonicalJson({ files: Object.fromEntries(files) })
}

function secretFileOf(model: FleetModel, { path, contentFrom }: HostFileSpec): [string, SecretFile][] {
  if (!contentFrom) return []
  const content = model.secrets ? contentOf(model.secrets.contentOf(contentFrom)) : {}
  return [[path, { ...content, hash: secretHash(model, { path, source: contentFrom }) }]]
}

/** Equal for equal contents at one path; without the key, for equal encrypted forms or references in one process. */
export function secretHash(
  { secrets, attachments }: FleetModel,
  { path, source }: { readonly path: string; readonly source: SecretSource },
): string {
  return secrets ? secrets.hashOf(source, path) : sealedHash(`${path}\0${sealedForm(attachments, source)}`)
}

function sealedForm(attachments: FleetModel['attachments'], { sopsFile, secretRef, ...source }: SecretSource): string {
  if (secretRef) return `Secret ${refText(secretRef)}`
  return encryptedForm(attachments.get(sopsFile ?? '') ?? new Uint8Array(), source)
}
