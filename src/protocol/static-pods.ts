import * as z from 'zod/mini'
import { DEFAULT_PREFIX, OBJECT_NAME } from './names.ts'

/** In a manifest, and so on its mirror pod: which manifest the kubelet has read. */
export const STATIC_POD_KEY = `${DEFAULT_PREFIX}/static-pod`

/** The kubelet leaves out what begins with a dot, and looks into no directory. Spelt in one way only, as every path. */
export const MANIFEST_PATH = /^\/(?:(?!\.{1,2}\/)[^/\0\n\r]+\/)+[A-Za-z0-9_][A-Za-z0-9._-]*\.(?:ya?ml|json)$/

/** Seconds. An agent does nothing else in that time. */
export const LONGEST_READY = 300

const NAMESPACE = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/

/** Pods that the kubelet runs from files of the host. */
export const staticPods = z.array(
  z.strictObject({
    path: z.string().check(z.regex(MANIFEST_PATH)),
    namespace: z.string().check(z.regex(NAMESPACE)),
    name: z.string().check(z.regex(OBJECT_NAME)),
    /** The value of STATIC_POD_KEY in the content. */
    digest: z.string().check(z.regex(/^[0-9a-f]{20}$/)),
    content: z.string(),
    /** In which its mirror pod has to be Ready. */
    readySeconds: z.number().check(z.gte(1), z.lte(LONGEST_READY)),
  }),
)
export type HostStaticPod = z.infer<typeof staticPods>[number]

export function isPodName(name: unknown): name is string {
  return typeof name === 'string' && OBJECT_NAME.test(name)
}

export function isNamespace(name: unknown): name is string {
  return typeof name === 'string' && NAMESPACE.test(name)
}
