import { parse } from 'yaml'
import type { Json } from '../protocol/digest.ts'
import { canonicalJson } from '../protocol/digest.ts'
import type { HostInventory } from '../protocol/host-inventory.ts'
import { isJsonObject } from '../protocol/merge-patch.ts'
import { type JsonObject, type Remark, remark } from './subject.ts'

export interface DescribedConfig {
  readonly config: JsonObject
  readonly remarks: readonly Remark[]
}

/** Where each layout has its configuration; another place would become a second file. */
const USUAL_PLACE = '/var/lib/kubelet/config.yaml'
const HEADER = ['apiVersion', 'kind', 'metadata']
/** Its values are credentials. */
const SECRET_FIELDS = ['staticPodURLHeader']

/** Fields of the host's own file, as an overlay that changes nothing in it. */
export function describeConfig(
  { config: file, dropIns, flags, layout }: HostInventory['kubelet'],
  configz: JsonObject | undefined,
): DescribedConfig {
  const document = documentOf(file?.text)
  const misplaced = placeRemark({ file, layout, flags })
  if (misplaced !== undefined || document === undefined) return { config: {}, remarks: misplaced ? [misplaced] : [] }
  const kept = Object.entries(document).filter(([key]) => !HEADER.includes(key) && !SECRET_FIELDS.includes(key))
  const config = withoutDefaults(Object.fromEntries(kept))
  return {
    config,
    remarks: [
      ...SECRET_FIELDS.filter((key) => key in document).map(secretRemark),
      ...(dropIns.length === 0 ? [] : [dropInRemark(dropIns)]),
      ...differences(config, configz),
    ],
  }
}

type Place = Pick<HostInventory['kubelet'], 'layout' | 'flags'> & { readonly file: HostInventory['kubelet']['config'] }

function placeRemark({ file, layout, flags }: Place): Remark | undefined {
  if (file === undefined) return undefined
  const isNamed = flags.some(({ args }) => args.includes(`--config=${file.path}`))
  if (layout === 'env' ? isNamed : file.path === USUAL_PLACE) return undefined
  const why =
    layout === 'env'
      ? 'the unit names it, and not KUBELET_OPTS: to manage it adds --config there, and restarts the kubelet'
      : `it is not at ${USUAL_PLACE}, where nodewave would write it`
  const remedy = `add a KubeletConfig to the pool when that may happen: ${layout === 'env' ? 'nothing else changes' : 'move the file first'}`
  return remark('kubelet', `kubelet configuration ${file.path}`, { why, remedy })
}

function documentOf(text: string | undefined): JsonObject | undefined {
  try {
    const value = parse(text ?? '') as Json
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** kubeadm writes zeros where it leaves a field to the kubelet: nobody else would. The file of the host keeps them. */
function withoutDefaults(fields: JsonObject, isLogging = false): JsonObject {
  const kept = Object.entries(fields).map(([key, value]) => [key, pruned(value, isLogging || key === 'logging')] as const)
  return Object.fromEntries(kept.filter((entry): entry is [string, Json] => entry[1] !== undefined))
}

function pruned(value: Json, isLogging: boolean): Json | undefined {
  if (value === null || value === '0s' || (isLogging && (value === 0 || value === '0'))) return undefined
  if (!isJsonObject(value)) return value
  const inner = withoutDefaults(value, isLogging)
  return Object.keys(inner).length === 0 ? undefined : inner
}

function secretRemark(field: string): Remark {
  return remark('kubelet', field, { why: 'it holds credentials', remedy: 'it stays in the file of the host' })
}

function dropInRemark(paths: readonly string[]): Remark {
  return remark('kubelet', paths.join(', '), {
    why: 'these files win over the kubelet configuration, and nodewave does not merge them',
    remedy: 'write their fields into a KubeletConfig, and remove them by files: [{path: …, state: absent}]',
  })
}

/** A kubelet that was not restarted since its file changed runs with something else. */
function differences(config: JsonObject, configz: JsonObject | undefined): Remark[] {
  if (configz === undefined) return []
  return Object.entries(config).flatMap(([key, value]) => {
    const running = configz[key]
    if (isJsonObject(value) || running === undefined || isDuration(value) || canonicalJson(running) === canonicalJson(value))
      return []
    return [
      remark('kubelet', `${key}: ${JSON.stringify(value)}`, {
        why: `the kubelet runs with ${JSON.stringify(running)}: a flag or another file says otherwise, or it was not restarted since`,
        remedy: 'decide which is right; a restart takes what stands here',
      }),
    ]
  })
}

/** A kubelet writes 1m0s for 60s. */
function isDuration(value: Json): boolean {
  return typeof value === 'string' && /^(?:\d+(?:\.\d+)?(?:h|m|s|ms))+$/.test(value)
}
