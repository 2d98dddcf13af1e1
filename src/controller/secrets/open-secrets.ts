import type { TakenValue } from '../../protocol/repo-snapshot.ts'
import type { FleetModel, OpenSecrets } from '../../repo/model.ts'
import { formatLocation } from '../../repo/problem.ts'
import type { SecretSource } from '../../repo/schema/host-profile.ts'
import { refText, secretUses } from '../../repo/secret-ref.ts'
import { keysOf, readSops, type SopsMap, valueAt } from '../../repo/sops-document.ts'
import type { AgeKeys } from './age-keys.ts'
import { decryptSops } from './sops.ts'

export interface OpenedSecrets {
  readonly secrets: OpenSecrets
  /** One line each, with its place. Any: nothing may be rendered. */
  readonly problems: readonly string[]
}

export interface SecretSources {
  /** Absent: there are none. */
  readonly keys?: AgeKeys | undefined
  /** From Secrets of the cluster; absent: nothing was taken. */
  readonly taken?: ReadonlyMap<string, TakenValue> | undefined
}

/** Opens all that a model takes secrets from. */
export async function openSecrets(model: FleetModel, { keys, taken }: SecretSources): Promise<OpenedSecrets> {
  const opened = await openFiles(model, keys)
  const problems = secretUses(model).flatMap(({ source: { sopsFile, secretRef }, where }) => {
    if (secretRef && !taken?.has(refText(secretRef)))
      return [`${formatLocation(where)}: key "${secretRef.key}" of Secret "${secretRef.name}" is not kept with this revision`]
    const found = opened.get(sopsFile ?? '')
    return found instanceof Error ? [`${formatLocation(where)}: failed to decrypt "${sopsFile}": ${found.message}`] : []
  })
  const contentOf = (source: SecretSource): Uint8Array => takenFor(source, taken)?.bytes ?? decryptedFor(source, opened)
  const hashOf = (source: SecretSource, path: string): string =>
    takenFor(source, taken)?.hash ?? keys?.hashOf(`${path}\0${Buffer.from(contentOf(source)).toString('base64')}`) ?? ''
  return { secrets: { contentOf, hashOf }, problems }
}

function takenFor({ secretRef }: SecretSource, taken: SecretSources['taken']): TakenValue | undefined {
  return secretRef && taken?.get(refText(secretRef))
}

type OpenedFiles = ReadonlyMap<string, SopsMap | Error>

function decryptedFor(source: SecretSource, opened: OpenedFiles): Uint8Array {
  const found = opened.get(source.sopsFile ?? '')
  const value = found instanceof Error ? undefined : valueAt(found, keysOf(source))
  if (typeof value !== 'string') throw new RangeError(`no secret is open for "${source.sopsFile ?? source.secretRef?.name}"`)
  return Buffer.from(value, 'base64')
}

async function openFiles(model: FleetModel, keys: AgeKeys | undefined): Promise<OpenedFiles> {
  const files = new Set(secretUses(model).flatMap(({ source: { sopsFile } }) => sopsFile ?? []))
  const opened = new Map<string, SopsMap | Error>()
  for (const file of files) opened.set(file, await orError(() => openFile(model, file, keys)))
  return opened
}

async function openFile(model: FleetModel, path: string, keys: AgeKeys | undefined): Promise<SopsMap> {
  if (!keys) throw new Error('the controller has no key; start it with --age-key-file')
  const document = readSops(model.attachments.get(path) ?? new Uint8Array())
  return decryptSops(document, await keys.open(document.keys))
}

async function orError<T>(work: () => Promise<T>): Promise<T | Error> {
  try {
    return await work()
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
