// Made of the interface document by npm run openapi.
export interface paths {
    "/admin/v1/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make the first owner with the one-time address that the server prints */
        post: operations["postAdminV1Setup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your open sessions */
        get: operations["getAdminV1Sessions"];
        put?: never;
        /** Sign in with e-mail address and password, and with a code where the second factor is on */
        post: operations["postAdminV1Sessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Say how people sign in here */
        get: operations["getAdminV1State"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/sessions/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in with a one-time address: of an invitation, of a forgotten password, of the demo */
        post: operations["postAdminV1SessionsLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/sessions/passkey/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begin to sign in with a passkey: what the browser needs */
        post: operations["postAdminV1SessionsPasskeyOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/sessions/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in with a passkey */
        post: operations["postAdminV1SessionsPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/session/confirm/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begin a fresh sign-in with a passkey: what the browser needs */
        post: operations["postAdminV1SessionConfirmOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/session/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Prove again who you are: for ten minutes, what asks for a fresh sign-in is allowed */
        post: operations["postAdminV1SessionConfirm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Say who is signed in and what they may do */
        get: operations["getAdminV1Session"];
        put?: never;
        post?: never;
        /** Sign out */
        delete: operations["deleteAdminV1Session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End one of your sessions */
        delete: operations["deleteAdminV1SessionsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Change your name or your password */
        put: operations["putAdminV1Me"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/me/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Switch the second factor on with a code of the app; the answer alone has the recovery codes */
        put: operations["putAdminV1MeTotp"];
        /** Begin a second factor: a secret for an authenticator app */
        post: operations["postAdminV1MeTotp"];
        /** Switch the second factor off */
        delete: operations["deleteAdminV1MeTotp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/me/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your passkeys */
        get: operations["getAdminV1MePasskeys"];
        put?: never;
        /** Add the passkey that the browser made */
        post: operations["postAdminV1MePasskeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/me/passkeys/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begin a passkey: what the browser needs to make one */
        post: operations["postAdminV1MePasskeysOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/me/passkeys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete one of your passkeys */
        delete: operations["deleteAdminV1MePasskeysById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/me/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your personal tokens */
        get: operations["getAdminV1MeTokens"];
        put?: never;
        /** Make a personal token; the answer alone has it */
        post: operations["postAdminV1MeTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/me/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete one of your personal tokens: it stops working at once */
        delete: operations["deleteAdminV1MeTokensById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/admins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the people who may use the admin interface */
        get: operations["getAdminV1Admins"];
        put?: never;
        /** Invite somebody; the answer alone has the one-time address for them */
        post: operations["postAdminV1Admins"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/admins/{id}/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Change what somebody may do */
        put: operations["putAdminV1AdminsByIdRoles"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/admins/{id}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make a one-time address with which somebody chooses a new password */
        post: operations["postAdminV1AdminsByIdReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/admins/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Take all access away from somebody, at once */
        delete: operations["deleteAdminV1AdminsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the audit log, the newest first */
        get: operations["getAdminV1Audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the apps that you have a role in */
        get: operations["getAdminV1Apps"];
        put?: never;
        /** Create an app; the answer alone has its keys */
        post: operations["postAdminV1Apps"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an app
         * @description Returns one entry for each configured gateway, without credentials.
         */
        get: operations["getAdminV1AppsByAppId"];
        put?: never;
        post?: never;
        /** Delete an app with everything that belongs to it */
        delete: operations["deleteAdminV1AppsByAppId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * FieldErrors
         * @description What is wrong, by the dotted path of each field as the caller wrote it. The empty path is the whole body.
         */
        FieldErrors: {
            [key: string]: string[];
        };
        /** AdminSession */
        AdminSession: {
            person: components["schemas"]["SignedInPerson"];
            roles: components["schemas"]["AdminRole"][];
            rights: components["schemas"]["AdminRights"];
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            freshUntil: string | null;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            expires: string | null;
        };
        /** SignedInPerson */
        SignedInPerson: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /** @example null */
            email: string;
            /**
             * @description Name for people.
             * @example News
             */
            name: string;
            /** @example true */
            hasTotp: boolean;
            /** @example null */
            passkeys: number;
        };
        /** AdminRole */
        AdminRole: {
            /**
             * @description The app that it belongs to.
             * @example 1
             */
            appId: number | null;
            /**
             * @example viewer
             * @enum {string}
             */
            role: "viewer" | "marketer" | "operator" | "owner";
        };
        /** AdminRights */
        AdminRights: {
            /**
             * @example [
             *       "self"
             *     ]
             */
            server: ("self" | "see" | "campaign" | "operate" | "own")[];
            /** @example {} */
            apps: {
                [key: string]: ("self" | "see" | "campaign" | "operate" | "own")[];
            };
        };
        /** Refusal */
        Refusal: {
            /**
             * @description One sentence that a person can act on.
             * @example there is no channel 7
             */
            error: string;
            /** @example null */
            code: string;
        };
        /** SignInState */
        SignInState: {
            /** @example true */
            setup: boolean;
            /** @example true */
            passkeys: boolean;
            /** @example null */
            baseUrl: string;
        };
        /** PasskeyOptions */
        PasskeyOptions: {
            [key: string]: unknown;
        };
        /** OpenSessions */
        OpenSessions: {
            items: components["schemas"]["OpenSession"][];
        };
        /** OpenSession */
        OpenSession: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /** @example true */
            isCurrent: boolean;
            /** @example null */
            address: string;
            /** @example null */
            agent: string;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            created: string;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            seen: string;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            expires: string;
        };
        /** SecondFactorSecret */
        SecondFactorSecret: {
            /**
             * @description The key for verifying signatures. It is not shown again.
             * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDMfrKTzpNjlA=
             */
            secret: string;
            /** @example null */
            uri: string;
        };
        /** RecoveryCodes */
        RecoveryCodes: {
            /**
             * @example [
             *       null
             *     ]
             */
            recoveryCodes: string[];
        };
        /** Passkeys */
        Passkeys: {
            items: components["schemas"]["Passkey"][];
        };
        /** Passkey */
        Passkey: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /**
             * @description Name for people.
             * @example News
             */
            name: string;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            created: string;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            used: string | null;
        };
        /** PersonalTokens */
        PersonalTokens: {
            items: components["schemas"]["PersonalToken"][];
        };
        /** PersonalToken */
        PersonalToken: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /**
             * @description Name for people.
             * @example News
             */
            name: string;
            /** @example null */
            hint: string;
            /**
             * @example [
             *       "see"
             *     ]
             */
            scopes: ("see" | "campaign" | "operate" | "own" | "confirmed")[];
            /**
             * @description The app that it belongs to.
             * @example 1
             */
            appId: number | null;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            created: string;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            used: string | null;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            expires: string | null;
        };
        /** CreatedPersonalToken */
        CreatedPersonalToken: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /**
             * @description Name for people.
             * @example News
             */
            name: string;
            /** @example null */
            hint: string;
            /**
             * @example [
             *       "see"
             *     ]
             */
            scopes: ("see" | "campaign" | "operate" | "own" | "confirmed")[];
            /**
             * @description The app that it belongs to.
             * @example 1
             */
            appId: number | null;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            created: string;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            used: string | null;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            expires: string | null;
            /**
             * @description The token.
             * @example su1.eyJzdWIiOiJ1c2VyLTE3In0.c2lnbmF0dXJl
             */
            token: string;
        };
        /** AdminPage */
        AdminPage: {
            items: components["schemas"]["Admin"][];
            /**
             * @description The `after` of the next page. Null on the last page.
             * @example 51
             */
            next: number | null;
        };
        /** Admin */
        Admin: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /** @example null */
            email: string;
            /**
             * @description Name for people.
             * @example News
             */
            name: string;
            /** @example true */
            hasPassword: boolean;
            /** @example true */
            hasTotp: boolean;
            roles: components["schemas"]["AdminRole"][];
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            created: string;
        };
        /** CreatedAdmin */
        CreatedAdmin: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /** @example null */
            email: string;
            /**
             * @description Name for people.
             * @example News
             */
            name: string;
            /** @example true */
            hasPassword: boolean;
            /** @example true */
            hasTotp: boolean;
            roles: components["schemas"]["AdminRole"][];
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            created: string;
            /** @example null */
            link: string;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            expires: string;
        };
        /** OneTimeLink */
        OneTimeLink: {
            /** @example null */
            link: string;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            expires: string;
        };
        /** AuditEntryPage */
        AuditEntryPage: {
            items: components["schemas"]["AuditEntry"][];
            /**
             * @description The `after` of the next page. Null on the last page.
             * @example 51
             */
            next: number | null;
        };
        /** AuditEntry */
        AuditEntry: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /**
             * @description The time. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:00:00+0000
             */
            at: string;
            /** @example null */
            adminId: number | null;
            /** @example null */
            who: string;
            /** @example null */
            role: string | null;
            /** @example null */
            action: string;
            /**
             * @description The app that it belongs to.
             * @example 1
             */
            appId: number | null;
            /**
             * @description Who gets it.
             * @example null
             */
            target: string | null;
            /** @example {} */
            before: {
                [key: string]: unknown;
            } | null;
            /** @example {} */
            after: {
                [key: string]: unknown;
            } | null;
            /** @example null */
            address: string;
        };
        /** AdminApps */
        AdminApps: {
            items: components["schemas"]["AdminApp"][];
        };
        /** AdminApp */
        AdminApp: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /**
             * @description Name for people.
             * @example News
             */
            name: string;
            /** @example null */
            linkHostLabel: string;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            created: string;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            updated: string;
        };
        /** CreatedApp */
        CreatedApp: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /**
             * @description Name for people.
             * @example News
             */
            name: string;
            /** @example null */
            linkHostLabel: string;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            created: string;
            /**
             * @description UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            updated: string;
            /** @example null */
            apiKey: string;
            /**
             * @description Legacy server key. Accepted, and no longer of use to FCM.
             * @example AAAA0123456789
             */
            serverKey: string;
            /** @example null */
            secretKey: string;
        };
        /**
         * Error
         * @description A request that failed.
         */
        Error: {
            /**
             * @description One sentence that a person can act on.
             * @example there is no channel 7
             */
            error: string;
        };
        /**
         * Invalid
         * @description An invalid request.
         */
        Invalid: {
            /**
             * @description Always the same.
             * @example validation failed
             * @constant
             */
            error: "validation failed";
            /** @description What is wrong, by field. */
            errors: components["schemas"]["FieldErrors"];
        };
    };
    responses: {
        /** @description The credentials are missing, malformed or wrong, or their kind does not open this operation */
        Unauthorized: {
            headers: {
                "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The key is valid but belongs to another app, or lacks the scope that this operation needs */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body exceeds the `limits.*` setting of this operation */
        TooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The operation does not take this `Content-Type`, or the body is compressed */
        UnsupportedMedia: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request is invalid; the body names every wrong field */
        Invalid: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "validation failed",
                 *       "errors": {
                 *         "content.title": [
                 *           "is required"
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Invalid"];
            };
        };
        /** @description Too many requests with wrong keys came from this address. Valid keys are never refused */
        TooMany: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The service cannot answer now, for example because the database is unreachable */
        Unavailable: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Any other failure */
        Failure: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description The scheme in which credentials are expected.
         * @example Basic realm="appsvc", charset="UTF-8"
         */
        WwwAuthenticate: string;
        /**
         * @description How many seconds to wait before the next attempt.
         * @example 30
         */
        RetryAfter: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    postAdminV1Setup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "su1.eyJzdWIiOiJ1c2VyLTE3In0.c2lnbmF0dXJl",
                 *       "name": "News",
                 *       "password": "secret"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The token.
                     * @example su1.eyJzdWIiOiJ1c2VyLTE3In0.c2lnbmF0dXJl
                     */
                    token: string;
                    /** @example null */
                    email: string;
                    /**
                     * @description Name for people.
                     * @example News
                     */
                    name: string;
                    /**
                     * @description Password of the `p12`.
                     * @example secret
                     */
                    password: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    /**
                     * @description The session, for a browser.
                     * @example __Host-appsvc=as_…; Path=/; HttpOnly; SameSite=Strict; Secure
                     */
                    "Set-Cookie": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "person": {
                     *         "id": 7,
                     *         "name": "News",
                     *         "hasTotp": true
                     *       },
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "viewer"
                     *         }
                     *       ],
                     *       "rights": {
                     *         "server": [
                     *           "self"
                     *         ],
                     *         "apps": {}
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            /** @description The one-time address was used already or is too old */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server has an owner already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1Sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": 7,
                     *           "isCurrent": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["OpenSessions"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1Sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "secret"
                 *     }
                 */
                "application/json": {
                    /** @example null */
                    email: string;
                    /**
                     * @description Password of the `p12`.
                     * @example secret
                     */
                    password: string;
                    /** @example null */
                    code?: string | null;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    /**
                     * @description The session, for a browser.
                     * @example __Host-appsvc=as_…; Path=/; HttpOnly; SameSite=Strict; Secure
                     */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "person": {
                     *         "id": 7,
                     *         "name": "News",
                     *         "hasTotp": true
                     *       },
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "viewer"
                     *         }
                     *       ],
                     *       "rights": {
                     *         "server": [
                     *           "self"
                     *         ],
                     *         "apps": {}
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            /** @description Wrong address or password, or (`code` is `second_factor`) a code is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "there is no channel 7"
                     *     }
                     */
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1State: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "setup": true,
                     *       "passkeys": true
                     *     }
                     */
                    "application/json": components["schemas"]["SignInState"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1SessionsLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "su1.eyJzdWIiOiJ1c2VyLTE3In0.c2lnbmF0dXJl"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The token.
                     * @example su1.eyJzdWIiOiJ1c2VyLTE3In0.c2lnbmF0dXJl
                     */
                    token: string;
                    /**
                     * @description Name for people.
                     * @example News
                     */
                    name?: string | null;
                    /**
                     * @description Password of the `p12`.
                     * @example secret
                     */
                    password?: string | null;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    /**
                     * @description The session, for a browser.
                     * @example __Host-appsvc=as_…; Path=/; HttpOnly; SameSite=Strict; Secure
                     */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "person": {
                     *         "id": 7,
                     *         "name": "News",
                     *         "hasTotp": true
                     *       },
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "viewer"
                     *         }
                     *       ],
                     *       "rights": {
                     *         "server": [
                     *           "self"
                     *         ],
                     *         "apps": {}
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            /** @description The one-time address was used already or is too old */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1SessionsPasskeyOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": components["schemas"]["PasskeyOptions"];
                };
            };
            /** @description Passkeys do not work at the address of this server (`baseUrl`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1SessionsPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "response": {}
                 *     }
                 */
                "application/json": {
                    /**
                     * @description What `navigator.credentials` returned, as its `toJSON()`.
                     * @example {}
                     */
                    response: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    /**
                     * @description The session, for a browser.
                     * @example __Host-appsvc=as_…; Path=/; HttpOnly; SameSite=Strict; Secure
                     */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "person": {
                     *         "id": 7,
                     *         "name": "News",
                     *         "hasTotp": true
                     *       },
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "viewer"
                     *         }
                     *       ],
                     *       "rights": {
                     *         "server": [
                     *           "self"
                     *         ],
                     *         "apps": {}
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            /** @description The passkey is not known here, or what it says does not hold */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Passkeys do not work at the address of this server (`baseUrl`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1SessionConfirmOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": components["schemas"]["PasskeyOptions"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description Passkeys do not work at the address of this server (`baseUrl`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1SessionConfirm: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": {
                    /**
                     * @description Password of the `p12`.
                     * @example secret
                     */
                    password?: string | null;
                    /** @example null */
                    code?: string | null;
                    /**
                     * @description What `navigator.credentials` returned, as its `toJSON()`.
                     * @example {}
                     */
                    response?: {
                        [key: string]: unknown;
                    } | null;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "person": {
                     *         "id": 7,
                     *         "name": "News",
                     *         "hasTotp": true
                     *       },
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "viewer"
                     *         }
                     *       ],
                     *       "rights": {
                     *         "server": [
                     *           "self"
                     *         ],
                     *         "apps": {}
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            /** @description What proves it is wrong, or (`code` is `second_factor`) a code is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "there is no channel 7"
                     *     }
                     */
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1Session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "person": {
                     *         "id": 7,
                     *         "name": "News",
                     *         "hasTotp": true
                     *       },
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "viewer"
                     *         }
                     *       ],
                     *       "rights": {
                     *         "server": [
                     *           "self"
                     *         ],
                     *         "apps": {}
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1Session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    /**
                     * @description Forgets the session.
                     * @example __Host-appsvc=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure
                     */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1SessionsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description You have no such session */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    putAdminV1Me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": {
                    /**
                     * @description Name for people.
                     * @example News
                     */
                    name?: string | null;
                    /**
                     * @description Password of the `p12`.
                     * @example secret
                     */
                    password?: string | null;
                    /** @example null */
                    currentPassword?: string | null;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "person": {
                     *         "id": 7,
                     *         "name": "News",
                     *         "hasTotp": true
                     *       },
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "viewer"
                     *         }
                     *       ],
                     *       "rights": {
                     *         "server": [
                     *           "self"
                     *         ],
                     *         "apps": {}
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    putAdminV1MeTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": {
                    /** @example null */
                    code: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recoveryCodes": [
                     *         null
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description It was not begun, or it is on already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1MeTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDMfrKTzpNjlA="
                     *     }
                     */
                    "application/json": components["schemas"]["SecondFactorSecret"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description The second factor is on already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1MeTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1MePasskeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": 7,
                     *           "name": "News"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Passkeys"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1MePasskeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "News",
                 *       "response": {}
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Name for people.
                     * @example News
                     */
                    name: string;
                    /**
                     * @description What `navigator.credentials` returned, as its `toJSON()`.
                     * @example {}
                     */
                    response: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "News"
                     *     }
                     */
                    "application/json": components["schemas"]["Passkey"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description Passkeys do not work at the address of this server (`baseUrl`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1MePasskeysOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": components["schemas"]["PasskeyOptions"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description Passkeys do not work at the address of this server (`baseUrl`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1MePasskeysById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description You have no such passkey */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1MeTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": 7,
                     *           "name": "News",
                     *           "scopes": [
                     *             "see"
                     *           ],
                     *           "appId": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PersonalTokens"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1MeTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "News",
                 *       "scopes": [
                 *         "see"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Name for people.
                     * @example News
                     */
                    name: string;
                    /**
                     * @example [
                     *       "see"
                     *     ]
                     */
                    scopes: ("see" | "campaign" | "operate" | "own" | "confirmed")[];
                    /**
                     * @description The app that it belongs to.
                     * @example 1
                     */
                    appId?: number | null;
                    /** @example null */
                    days?: number | null;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "News",
                     *       "scopes": [
                     *         "see"
                     *       ],
                     *       "appId": 1,
                     *       "token": "su1.eyJzdWIiOiJ1c2VyLTE3In0.c2lnbmF0dXJl"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedPersonalToken"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1MeTokensById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description You have no such token */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1Admins: {
        parameters: {
            query?: {
                /**
                 * @description Continues after a page: the `next` of its answer.
                 * @example 51
                 */
                after?: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": 7,
                     *           "name": "News",
                     *           "hasPassword": true,
                     *           "hasTotp": true,
                     *           "roles": [
                     *             {
                     *               "appId": 1,
                     *               "role": "viewer"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "next": 51
                     *     }
                     */
                    "application/json": components["schemas"]["AdminPage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1Admins: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "News",
                 *       "roles": [
                 *         {
                 *           "role": "viewer"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @example null */
                    email: string;
                    /**
                     * @description Name for people.
                     * @example News
                     */
                    name: string;
                    roles: {
                        /**
                         * @description The app that it belongs to.
                         * @example 1
                         */
                        appId?: number | null;
                        /**
                         * @example viewer
                         * @enum {string}
                         */
                        role: "viewer" | "marketer" | "operator" | "owner";
                    }[];
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "News",
                     *       "hasPassword": true,
                     *       "hasTotp": true,
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "viewer"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedAdmin"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    putAdminV1AdminsByIdRoles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "roles": [
                 *         {
                 *           "role": "viewer"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    roles: {
                        /**
                         * @description The app that it belongs to.
                         * @example 1
                         */
                        appId?: number | null;
                        /**
                         * @example viewer
                         * @enum {string}
                         */
                        role: "viewer" | "marketer" | "operator" | "owner";
                    }[];
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "News",
                     *       "hasPassword": true,
                     *       "hasTotp": true,
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "viewer"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Admin"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description There is no such person */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nobody would own the server any more */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1AdminsByIdReset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": components["schemas"]["OneTimeLink"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description There is no such person */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AdminsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description There is no such person */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nobody would own the server any more */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1Audit: {
        parameters: {
            query?: {
                /**
                 * @description The app that it belongs to.
                 * @example 1
                 */
                appId?: number;
                adminId?: number;
                action?: string;
                /**
                 * @description Continues after a page: the `next` of its answer.
                 * @example 51
                 */
                after?: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": 7,
                     *           "at": "2026-03-01T12:00:00+0000",
                     *           "appId": 1,
                     *           "before": {},
                     *           "after": {}
                     *         }
                     *       ],
                     *       "next": 51
                     *     }
                     */
                    "application/json": components["schemas"]["AuditEntryPage"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1Apps: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": 7,
                     *           "name": "News"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AdminApps"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1Apps: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "News"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Name for people.
                     * @example News
                     */
                    name: string;
                    /**
                     * @description The account that owns the app.
                     * @example 1
                     */
                    accountId?: number | null;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "News",
                     *       "serverKey": "AAAA0123456789"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedApp"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "News"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminApp"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description There is no such app, or you have no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AppsByAppId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description There is no such app, or you have no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
}
