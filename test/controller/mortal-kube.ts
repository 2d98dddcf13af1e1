import type { KubeApi } from '../../src/kube/kube-api.ts'

export interface Mortal {
  readonly kube: KubeApi
  readonly writes: string[]
}

/** Lets so many writes pass; the next one kills: it and all requests after it come to nothing. */
export function mortalKube(kube: KubeApi, { lives, died }: { readonly lives: number; readonly died: () => void }): Mortal {
  const writes: string[] = []
  const live = (write?: string): void => {
    if (writes.length > lives) throw new Error('dead')
    if (write !== undefined && writes.push(write) > lives) {
      died()
      throw new Error('killed')
    }
  }
  return {
    writes,
    kube: {
      async get(path, options) {
        live()
        return kube.get(path, options)
      },
      async create(path, body, options) {
        live(`POST ${path}`)
        return kube.create(path, body, options)
      },
      async replace(path, body, options) {
        live(`PUT ${path}`)
        return kube.replace(path, body, options)
      },
      async patch(path, body, options) {
        live(`PATCH ${path}`)
        return kube.patch(path, body, options)
      },
      async delete(path, options) {
        live(`DELETE ${path}`)
        return kube.delete(path, options)
      },
      list: (path, options) => kube.list(path, options),
      follow: (path, options) => kube.follow(path, options),
    },
  }
}
