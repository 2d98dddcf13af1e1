import * as z from 'zod/mini'

/** As the time zone database names them: `Europe/Berlin`, `Etc/GMT+2`. */
export const TIME_ZONE = /^[A-Za-z][A-Za-z0-9_+-]{0,40}(?:\/[A-Za-z][A-Za-z0-9_+-]{0,40}){0,2}$/
/** A name or an address, as a line of timesyncd.conf(5) takes it. */
export const TIME_SERVER = /^[A-Za-z0-9][A-Za-z0-9.:_-]{0,252}$/

/** One certificate: the stores of distributions take no more from a file. */
export const CERTIFICATE = /^-----BEGIN CERTIFICATE-----\r?\n[A-Za-z0-9+/=\r\n]+-----END CERTIFICATE-----\s*$/

/** What a shell, and grub, take for nothing else than itself. */
export const KERNEL_ARGUMENT = /^[A-Za-z0-9_][A-Za-z0-9_.:,=/@%+-]{0,200}$/

const timeServers = z.array(z.string().check(z.regex(TIME_SERVER)))

const certificate = z.strictObject({
  name: z.string().check(z.regex(/^[a-z0-9][a-z0-9.-]{0,60}$/)),
  content: z.string().check(z.regex(CERTIFICATE)),
})

/** The parts of the host document that are small settings of the system. */
export const SYSTEM_SECTIONS = {
  time: z.strictObject({
    zone: z.optional(z.string().check(z.regex(TIME_ZONE))),
    ntp: z.optional(z.strictObject({ servers: timeServers, fallbackServers: z.optional(timeServers) })),
  }),
  certificates: z.array(certificate),
  kernelArguments: z.array(z.string().check(z.regex(KERNEL_ARGUMENT))),
} as const

export type HostCertificate = z.infer<typeof certificate>
export type HostTime = z.infer<typeof SYSTEM_SECTIONS.time>
