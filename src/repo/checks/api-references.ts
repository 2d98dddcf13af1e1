import type { Path } from '../source.ts'

/** Volumes that are made of objects of the API. */
const VOLUMES = ['configMap', 'secret', 'persistentVolumeClaim', 'projected', 'ephemeral'] as const
const SOURCES = ['configMapRef', 'secretRef'] as const
const KEYS = ['configMapKeyRef', 'secretKeyRef'] as const

interface Reference {
  readonly path: Path
  readonly message: string
}

/** What a manifest asks of the API: a kubelet runs static pods without it, and creates no mirror pod for one that names objects there. */
export function apiReferences(spec: unknown): Reference[] {
  const { serviceAccountName, serviceAccount, resourceClaims, volumes, containers, initContainers } = mapOf(spec)
  const account = { serviceAccountName, serviceAccount, resourceClaims }
  return [
    ...Object.entries(account).flatMap(([key, value]) => (value === undefined ? [] : [refusedAt(['spec', key], key)])),
    ...listOf(volumes).flatMap((volume, index) => named(volume, VOLUMES, ['spec', 'volumes', index])),
    ...listOf(initContainers).flatMap((container, index) => inContainer(container, ['spec', 'initContainers', index])),
    ...listOf(containers).flatMap((container, index) => inContainer(container, ['spec', 'containers', index])),
  ]
}

function inContainer(container: unknown, path: Path): Reference[] {
  const { env, envFrom } = mapOf(container)
  return [
    ...listOf(envFrom).flatMap((source, index) => named(source, SOURCES, [...path, 'envFrom', index])),
    ...listOf(env).flatMap((variable, index) => named(mapOf(variable).valueFrom, KEYS, [...path, 'env', index, 'valueFrom'])),
  ]
}

function named(value: unknown, keys: readonly string[], path: Path): Reference[] {
  const found = mapOf(value)
  return keys.filter((key) => found[key] !== undefined).map((key) => refusedAt([...path, key], key))
}

function refusedAt(path: Path, key: string): Reference {
  return { path, message: `${key}: a static pod cannot use objects of the API; put what it needs onto the host` }
}

function mapOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
