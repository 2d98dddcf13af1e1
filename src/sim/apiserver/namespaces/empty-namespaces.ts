import type { Core } from '../core.ts'
import { namespaces } from '../resources/plain.ts'

/** Lets a deleted namespace go, with all that is in it. Finalizers of what is in it are not waited for. */
export function emptyNamespaces(core: Core): void {
  core.store.collection(namespaces.collection).listen(({ type, entry }) => {
    const { deletionTimestamp, name = '' } = entry.object.metadata
    if (type !== 'DELETED' && deletionTimestamp !== undefined) removeAll(core, name)
  })
}

function removeAll(core: Core, namespace: string): void {
  for (const collection of core.store.names()) {
    const inside = core.store.list(collection).filter(({ metadata }) => metadata.namespace === namespace)
    for (const { metadata } of inside) core.store.remove(collection, `${namespace}/${metadata.name}`)
  }
  core.store.remove(namespaces.collection, namespace)
}
