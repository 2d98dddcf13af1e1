import * as z from 'zod/mini'

/** What is used of a kubeconfig file; everything else in it is ignored. */
const text = z.optional(z.string())

const cluster = z.object({
  server: z.string(),
  'certificate-authority': text,
  'certificate-authority-data': text,
  'insecure-skip-tls-verify': z.optional(z.boolean()),
  'tls-server-name': text,
  'proxy-url': text,
})

const user = z.object({
  token: text,
  tokenFile: text,
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
  exec: z.optional(z.nullable(z.object({ command: z.string() }))),
  'auth-provider': z.optional(z.nullable(z.object({ name: z.string() }))),
})

const context = z.object({ cluster: z.string(), user: text, namespace: text })

const listOf = <T extends z.core.SomeType>(item: T) => z._default(z.nullable(z.array(item)), [])

export const kubeconfigSchema = z.object({
  'current-context': text,
  clusters: listOf(z.object({ name: z.string(), cluster })),
  users: listOf(z.object({ name: z.string(), user: z.nullable(user) })),
  contexts: listOf(z.object({ name: z.string(), context })),
})

export type ClusterEntry = z.infer<typeof cluster>
export type UserEntry = z.infer<typeof user>
export type ContextEntry = z.infer<typeof context>
