import type { Doc, FleetModel, OpenSecrets } from '../../repo/model.ts'
import { formatLocation } from '../../repo/problem.ts'
import type { HostFileSpec, SecretSource } from '../../repo/schema/host-profile.ts'
import { keysOf, readSops, type SopsMap, valueAt } from '../../repo/sops-document.ts'
import type { AgeKeys } from './age-keys.ts'
import { decryptSops } from './sops.ts'

export interface OpenedSecrets {
  readonly secrets: OpenSecrets
  /** One line each, with its place. Any: nothing may be rendered. */
  readonly problems: readonly string[]
}

interface Use {
  readonly source: SecretSource
  readonly where: string
}

/** Decrypts every file that a model takes secrets from. @param keys absent: there are none */
export async function openSecrets(model: FleetModel, keys: AgeKeys | undefined): Promise<OpenedSecrets> {
  const uses = usesIn(model)
  const opened = new Map<string, SopsMap | Error>()
  for (const { sopsFile } of new Set(uses.map(({ source }) => source)))
    if (!opened.has(sopsFile)) opened.set(sopsFile, await orError(() => openFile(model, sopsFile, keys)))
  const problems = uses.flatMap(({ source: { sopsFile }, where }) => {
    const found = opened.get(sopsFile)
    return found instanceof Error ? [`${where}: failed to decrypt "${sopsFile}": ${found.message}`] : []
  })
  const contentOf = (source: SecretSource): Uint8Array => {
    const found = opened.get(source.sopsFile)
    const value = found instanceof Error ? undefined : valueAt(found, keysOf(source))
    if (typeof value !== 'string') throw new RangeError(`no secret is open for "${source.sopsFile}"`)
    return Buffer.from(value, 'base64')
  }
  return { secrets: { contentOf, hashOf: (text) => keys?.hashOf(text) ?? '' }, problems }
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

function usesIn({ hostProfiles, overrides }: FleetModel): Use[] {
  const docs: Doc<{ readonly files?: readonly HostFileSpec[] }>[] = [...hostProfiles.values(), ...overrides]
  return docs.flatMap(({ spec, source: place }) =>
    (spec.files ?? []).flatMap(({ contentFrom }, index) => {
      const path = ['files', index, 'contentFrom', 'sopsFile']
      return contentFrom ? [{ source: contentFrom, where: formatLocation(place.where(path)) }] : []
    }),
  )
}
