/* tree_expansion.h - expansions of the softened potential in Cartesian coordinates to order 5.
 *
 * Written by tree_expansion.py: change the script, not this file. Included once for each type of number, which may be
 * a compiler's vector type, with these macros defined: REAL, the type; SCALAR(x), a constant; RSQRT(x), 1/sqrt(x);
 * EXPANSION(word), the name of a function; EXPANSION_CALL, the declaration specifiers of functions.
 *
 * psi(y) = sum_j m_j / rho, rho^2 = |y - x_j|^2 + eps^2. The acceleration is G grad psi, the potential -G psi. With
 * multi-indices n = (a, b, c), x^n = x^a y^b z^c, n! = a! b! c!, |n| = a + b + c (Dehnen 2002, J. Comput. Phys. 179,
 * 27, in three dimensions with softening):
 *     moments      q_n = sum_j m_j (c - x_j)^n / n!           about the centre of mass c; |n| = 0, 2, 3, 4
 *     derivatives  d_n = D^n 1/rho                            at the distance s - c
 *     local        l_n = sum_m q_m d_(n + m), |n + m| <= 5    about s
 *     near s       psi(y) = sum_n l_n (y - s)^n / n!
 * Coefficients are ordered by |n|, then x before y before z: 32 moments (1, 6, 10, 15), 56 local coefficients (1, 3, 6,
 * 10, 15, 21). The derivatives are those of 1/rho, not of 1/r: they are not traceless, and are valid for any eps. */
#ifndef NB_TREE_EXPANSION
#define NB_TREE_EXPANSION
enum { NB_MOMENTS = 32, NB_LOCALS = 56 };
#endif

/* Adds mass m to the moments q[NB_MOMENTS]; (x, y, z) = c - x_j. */
EXPANSION_CALL void EXPANSION(moments_add)(REAL *q, REAL m, REAL x, REAL y, REAL z)
{
    const REAL p_x = x, p_y = y, p_z = z, p_xx = p_x * x * SCALAR(1.0 / 2), p_xy = p_y * x, p_xz = p_z * x,
               p_yy = p_y * y * SCALAR(1.0 / 2), p_yz = p_z * y, p_zz = p_z * z * SCALAR(1.0 / 2),
               p_xxx = p_xx * x * SCALAR(1.0 / 3), p_xxy = p_xy * x * SCALAR(1.0 / 2),
               p_xxz = p_xz * x * SCALAR(1.0 / 2), p_xyy = p_xy * y * SCALAR(1.0 / 2), p_xyz = p_yz * x,
               p_xzz = p_xz * z * SCALAR(1.0 / 2), p_yyy = p_yy * y * SCALAR(1.0 / 3),
               p_yyz = p_yz * y * SCALAR(1.0 / 2), p_yzz = p_yz * z * SCALAR(1.0 / 2),
               p_zzz = p_zz * z * SCALAR(1.0 / 3), p_xxxx = p_xxx * x * SCALAR(1.0 / 4),
               p_xxxy = p_xxy * x * SCALAR(1.0 / 3), p_xxxz = p_xxz * x * SCALAR(1.0 / 3),
               p_xxyy = p_xyy * x * SCALAR(1.0 / 2), p_xxyz = p_xyz * x * SCALAR(1.0 / 2),
               p_xxzz = p_xzz * x * SCALAR(1.0 / 2), p_xyyy = p_xyy * y * SCALAR(1.0 / 3),
               p_xyyz = p_xyz * y * SCALAR(1.0 / 2), p_xyzz = p_xyz * z * SCALAR(1.0 / 2),
               p_xzzz = p_xzz * z * SCALAR(1.0 / 3), p_yyyy = p_yyy * y * SCALAR(1.0 / 4),
               p_yyyz = p_yyz * y * SCALAR(1.0 / 3), p_yyzz = p_yzz * y * SCALAR(1.0 / 2),
               p_yzzz = p_yzz * z * SCALAR(1.0 / 3), p_zzzz = p_zzz * z * SCALAR(1.0 / 4);
    q[0] += m;
    q[1] += m * p_xx;
    q[2] += m * p_xy;
    q[3] += m * p_xz;
    q[4] += m * p_yy;
    q[5] += m * p_yz;
    q[6] += m * p_zz;
    q[7] += m * p_xxx;
    q[8] += m * p_xxy;
    q[9] += m * p_xxz;
    q[10] += m * p_xyy;
    q[11] += m * p_xyz;
    q[12] += m * p_xzz;
    q[13] += m * p_yyy;
    q[14] += m * p_yyz;
    q[15] += m * p_yzz;
    q[16] += m * p_zzz;
    q[17] += m * p_xxxx;
    q[18] += m * p_xxxy;
    q[19] += m * p_xxxz;
    q[20] += m * p_xxyy;
    q[21] += m * p_xxyz;
    q[22] += m * p_xxzz;
    q[23] += m * p_xyyy;
    q[24] += m * p_xyyz;
    q[25] += m * p_xyzz;
    q[26] += m * p_xzzz;
    q[27] += m * p_yyyy;
    q[28] += m * p_yyyz;
    q[29] += m * p_yyzz;
    q[30] += m * p_yzzz;
    q[31] += m * p_zzzz;
}

/* Adds moments q about c to moments about c + (x, y, z). The total dipole about the centre of mass is 0. */
EXPANSION_CALL void EXPANSION(moments_shift)(REAL *to, const REAL *q, REAL x, REAL y, REAL z)
{
    const REAL p_x = x, p_y = y, p_z = z, p_xx = p_x * x * SCALAR(1.0 / 2), p_xy = p_y * x, p_xz = p_z * x,
               p_yy = p_y * y * SCALAR(1.0 / 2), p_yz = p_z * y, p_zz = p_z * z * SCALAR(1.0 / 2),
               p_xxx = p_xx * x * SCALAR(1.0 / 3), p_xxy = p_xy * x * SCALAR(1.0 / 2),
               p_xxz = p_xz * x * SCALAR(1.0 / 2), p_xyy = p_xy * y * SCALAR(1.0 / 2), p_xyz = p_yz * x,
               p_xzz = p_xz * z * SCALAR(1.0 / 2), p_yyy = p_yy * y * SCALAR(1.0 / 3),
               p_yyz = p_yz * y * SCALAR(1.0 / 2), p_yzz = p_yz * z * SCALAR(1.0 / 2),
               p_zzz = p_zz * z * SCALAR(1.0 / 3), p_xxxx = p_xxx * x * SCALAR(1.0 / 4),
               p_xxxy = p_xxy * x * SCALAR(1.0 / 3), p_xxxz = p_xxz * x * SCALAR(1.0 / 3),
               p_xxyy = p_xyy * x * SCALAR(1.0 / 2), p_xxyz = p_xyz * x * SCALAR(1.0 / 2),
               p_xxzz = p_xzz * x * SCALAR(1.0 / 2), p_xyyy = p_xyy * y * SCALAR(1.0 / 3),
               p_xyyz = p_xyz * y * SCALAR(1.0 / 2), p_xyzz = p_xyz * z * SCALAR(1.0 / 2),
               p_xzzz = p_xzz * z * SCALAR(1.0 / 3), p_yyyy = p_yyy * y * SCALAR(1.0 / 4),
               p_yyyz = p_yyz * y * SCALAR(1.0 / 3), p_yyzz = p_yzz * y * SCALAR(1.0 / 2),
               p_yzzz = p_yzz * z * SCALAR(1.0 / 3), p_zzzz = p_zzz * z * SCALAR(1.0 / 4);
    to[0] += q[0];
    to[1] += q[0] * p_xx + q[1];
    to[2] += q[0] * p_xy + q[2];
    to[3] += q[0] * p_xz + q[3];
    to[4] += q[0] * p_yy + q[4];
    to[5] += q[0] * p_yz + q[5];
    to[6] += q[0] * p_zz + q[6];
    to[7] += q[0] * p_xxx + q[1] * p_x + q[7];
    to[8] += q[0] * p_xxy + q[1] * p_y + q[2] * p_x + q[8];
    to[9] += q[0] * p_xxz + q[1] * p_z + q[3] * p_x + q[9];
    to[10] += q[0] * p_xyy + q[2] * p_y + q[4] * p_x + q[10];
    to[11] += q[0] * p_xyz + q[2] * p_z + q[3] * p_y + q[5] * p_x + q[11];
    to[12] += q[0] * p_xzz + q[3] * p_z + q[6] * p_x + q[12];
    to[13] += q[0] * p_yyy + q[4] * p_y + q[13];
    to[14] += q[0] * p_yyz + q[4] * p_z + q[5] * p_y + q[14];
    to[15] += q[0] * p_yzz + q[5] * p_z + q[6] * p_y + q[15];
    to[16] += q[0] * p_zzz + q[6] * p_z + q[16];
    to[17] += q[0] * p_xxxx + q[1] * p_xx + q[7] * p_x + q[17];
    to[18] += q[0] * p_xxxy + q[1] * p_xy + q[2] * p_xx + q[7] * p_y + q[8] * p_x + q[18];
    to[19] += q[0] * p_xxxz + q[1] * p_xz + q[3] * p_xx + q[7] * p_z + q[9] * p_x + q[19];
    to[20] += q[0] * p_xxyy + q[1] * p_yy + q[2] * p_xy + q[4] * p_xx + q[8] * p_y + q[10] * p_x + q[20];
    to[21] += q[0] * p_xxyz + q[1] * p_yz + q[2] * p_xz + q[3] * p_xy + q[5] * p_xx + q[8] * p_z + q[9] * p_y +
              q[11] * p_x + q[21];
    to[22] += q[0] * p_xxzz + q[1] * p_zz + q[3] * p_xz + q[6] * p_xx + q[9] * p_z + q[12] * p_x + q[22];
    to[23] += q[0] * p_xyyy + q[2] * p_yy + q[4] * p_xy + q[10] * p_y + q[13] * p_x + q[23];
    to[24] += q[0] * p_xyyz + q[2] * p_yz + q[3] * p_yy + q[4] * p_xz + q[5] * p_xy + q[10] * p_z + q[11] * p_y +
              q[14] * p_x + q[24];
    to[25] += q[0] * p_xyzz + q[2] * p_zz + q[3] * p_yz + q[5] * p_xz + q[6] * p_xy + q[11] * p_z + q[12] * p_y +
              q[15] * p_x + q[25];
    to[26] += q[0] * p_xzzz + q[3] * p_zz + q[6] * p_xz + q[12] * p_z + q[16] * p_x + q[26];
    to[27] += q[0] * p_yyyy + q[4] * p_yy + q[13] * p_y + q[27];
    to[28] += q[0] * p_yyyz + q[4] * p_yz + q[5] * p_yy + q[13] * p_z + q[14] * p_y + q[28];
    to[29] += q[0] * p_yyzz + q[4] * p_zz + q[5] * p_yz + q[6] * p_yy + q[14] * p_z + q[15] * p_y + q[29];
    to[30] += q[0] * p_yzzz + q[5] * p_zz + q[6] * p_yz + q[15] * p_z + q[16] * p_y + q[30];
    to[31] += q[0] * p_zzzz + q[6] * p_zz + q[16] * p_z + q[31];
}

/* Adds the field of moments q about c to the local expansion l[NB_LOCALS] about s; (x, y, z) = s - c. Computes l[0]
 * only if want_value. */
EXPANSION_CALL void EXPANSION(local_add)(REAL *l, const REAL *q, REAL x, REAL y, REAL z, REAL eps2, int want_value)
{
    const REAL rinv = RSQRT(x * x + y * y + z * z + eps2), s = rinv * rinv, g0 = rinv, g1 = SCALAR(-1) * s * g0,
               g2 = SCALAR(-3) * s * g1, g3 = SCALAR(-5) * s * g2, g4 = SCALAR(-7) * s * g3, g5 = SCALAR(-9) * s * g4;
    const REAL g2_3 = SCALAR(3) * g2, g3_3 = SCALAR(3) * g3, g3_6 = SCALAR(6) * g3, g3_15 = SCALAR(15) * g3,
               g4_3 = SCALAR(3) * g4, g4_6 = SCALAR(6) * g4, g4_10 = SCALAR(10) * g4;
    const REAL xx = x * x, yy = y * y, zz = z * z, xy = x * y, xz = x * z, yz = y * z;
    const REAL d_x = x * g1, d_y = y * g1, d_z = z * g1;
    const REAL d_xx = xx * g2 + g1, d_xy = xy * g2, d_xz = xz * g2, d_yy = yy * g2 + g1, d_yz = yz * g2,
               d_zz = zz * g2 + g1;
    const REAL d_xxx = x * (xx * g3 + g2_3), d_xxy = y * (xx * g3 + g2), d_xxz = z * (xx * g3 + g2),
               d_xyy = x * (yy * g3 + g2), d_xyz = xy * z * g3, d_xzz = x * (zz * g3 + g2),
               d_yyy = y * (yy * g3 + g2_3), d_yyz = z * (yy * g3 + g2), d_yzz = y * (zz * g3 + g2),
               d_zzz = z * (zz * g3 + g2_3);
    const REAL d_xxxx = xx * xx * g4 + xx * g3_6 + g2_3, d_xxxy = xy * (xx * g4 + g3_3), d_xxxz = xz * (xx * g4 + g3_3),
               d_xxyy = xx * yy * g4 + (xx + yy) * g3 + g2, d_xxyz = yz * (xx * g4 + g3),
               d_xxzz = xx * zz * g4 + (xx + zz) * g3 + g2, d_xyyy = xy * (yy * g4 + g3_3),
               d_xyyz = xz * (yy * g4 + g3), d_xyzz = xy * (zz * g4 + g3), d_xzzz = xz * (zz * g4 + g3_3),
               d_yyyy = yy * yy * g4 + yy * g3_6 + g2_3, d_yyyz = yz * (yy * g4 + g3_3),
               d_yyzz = yy * zz * g4 + (yy + zz) * g3 + g2, d_yzzz = yz * (zz * g4 + g3_3),
               d_zzzz = zz * zz * g4 + zz * g3_6 + g2_3;
    const REAL d_xxxxx = x * (xx * xx * g5 + xx * g4_10 + g3_15), d_xxxxy = y * (xx * xx * g5 + xx * g4_6 + g3_3),
               d_xxxxz = z * (xx * xx * g5 + xx * g4_6 + g3_3),
               d_xxxyy = x * (xx * yy * g5 + (xx + yy * SCALAR(3)) * g4 + g3_3), d_xxxyz = xy * z * (xx * g5 + g4_3),
               d_xxxzz = x * (xx * zz * g5 + (xx + zz * SCALAR(3)) * g4 + g3_3),
               d_xxyyy = y * (xx * yy * g5 + (xx * SCALAR(3) + yy) * g4 + g3_3),
               d_xxyyz = z * (xx * yy * g5 + (xx + yy) * g4 + g3), d_xxyzz = y * (xx * zz * g5 + (xx + zz) * g4 + g3),
               d_xxzzz = z * (xx * zz * g5 + (xx * SCALAR(3) + zz) * g4 + g3_3),
               d_xyyyy = x * (yy * yy * g5 + yy * g4_6 + g3_3), d_xyyyz = xy * z * (yy * g5 + g4_3),
               d_xyyzz = x * (yy * zz * g5 + (yy + zz) * g4 + g3), d_xyzzz = xy * z * (zz * g5 + g4_3),
               d_xzzzz = x * (zz * zz * g5 + zz * g4_6 + g3_3), d_yyyyy = y * (yy * yy * g5 + yy * g4_10 + g3_15),
               d_yyyyz = z * (yy * yy * g5 + yy * g4_6 + g3_3),
               d_yyyzz = y * (yy * zz * g5 + (yy + zz * SCALAR(3)) * g4 + g3_3),
               d_yyzzz = z * (yy * zz * g5 + (yy * SCALAR(3) + zz) * g4 + g3_3),
               d_yzzzz = y * (zz * zz * g5 + zz * g4_6 + g3_3), d_zzzzz = z * (zz * zz * g5 + zz * g4_10 + g3_15);
    if (want_value)
        l[0] += q[0] * g0 + q[1] * d_xx + q[2] * d_xy + q[3] * d_xz + q[4] * d_yy + q[5] * d_yz + q[6] * d_zz +
                q[7] * d_xxx + q[8] * d_xxy + q[9] * d_xxz + q[10] * d_xyy + q[11] * d_xyz + q[12] * d_xzz +
                q[13] * d_yyy + q[14] * d_yyz + q[15] * d_yzz + q[16] * d_zzz + q[17] * d_xxxx + q[18] * d_xxxy +
                q[19] * d_xxxz + q[20] * d_xxyy + q[21] * d_xxyz + q[22] * d_xxzz + q[23] * d_xyyy + q[24] * d_xyyz +
                q[25] * d_xyzz + q[26] * d_xzzz + q[27] * d_yyyy + q[28] * d_yyyz + q[29] * d_yyzz + q[30] * d_yzzz +
                q[31] * d_zzzz;
    l[1] += q[0] * d_x + q[1] * d_xxx + q[2] * d_xxy + q[3] * d_xxz + q[4] * d_xyy + q[5] * d_xyz + q[6] * d_xzz +
            q[7] * d_xxxx + q[8] * d_xxxy + q[9] * d_xxxz + q[10] * d_xxyy + q[11] * d_xxyz + q[12] * d_xxzz +
            q[13] * d_xyyy + q[14] * d_xyyz + q[15] * d_xyzz + q[16] * d_xzzz + q[17] * d_xxxxx + q[18] * d_xxxxy +
            q[19] * d_xxxxz + q[20] * d_xxxyy + q[21] * d_xxxyz + q[22] * d_xxxzz + q[23] * d_xxyyy + q[24] * d_xxyyz +
            q[25] * d_xxyzz + q[26] * d_xxzzz + q[27] * d_xyyyy + q[28] * d_xyyyz + q[29] * d_xyyzz + q[30] * d_xyzzz +
            q[31] * d_xzzzz;
    l[2] += q[0] * d_y + q[1] * d_xxy + q[2] * d_xyy + q[3] * d_xyz + q[4] * d_yyy + q[5] * d_yyz + q[6] * d_yzz +
            q[7] * d_xxxy + q[8] * d_xxyy + q[9] * d_xxyz + q[10] * d_xyyy + q[11] * d_xyyz + q[12] * d_xyzz +
            q[13] * d_yyyy + q[14] * d_yyyz + q[15] * d_yyzz + q[16] * d_yzzz + q[17] * d_xxxxy + q[18] * d_xxxyy +
            q[19] * d_xxxyz + q[20] * d_xxyyy + q[21] * d_xxyyz + q[22] * d_xxyzz + q[23] * d_xyyyy + q[24] * d_xyyyz +
            q[25] * d_xyyzz + q[26] * d_xyzzz + q[27] * d_yyyyy + q[28] * d_yyyyz + q[29] * d_yyyzz + q[30] * d_yyzzz +
            q[31] * d_yzzzz;
    l[3] += q[0] * d_z + q[1] * d_xxz + q[2] * d_xyz + q[3] * d_xzz + q[4] * d_yyz + q[5] * d_yzz + q[6] * d_zzz +
            q[7] * d_xxxz + q[8] * d_xxyz + q[9] * d_xxzz + q[10] * d_xyyz + q[11] * d_xyzz + q[12] * d_xzzz +
            q[13] * d_yyyz + q[14] * d_yyzz + q[15] * d_yzzz + q[16] * d_zzzz + q[17] * d_xxxxz + q[18] * d_xxxyz +
            q[19] * d_xxxzz + q[20] * d_xxyyz + q[21] * d_xxyzz + q[22] * d_xxzzz + q[23] * d_xyyyz + q[24] * d_xyyzz +
            q[25] * d_xyzzz + q[26] * d_xzzzz + q[27] * d_yyyyz + q[28] * d_yyyzz + q[29] * d_yyzzz + q[30] * d_yzzzz +
            q[31] * d_zzzzz;
    l[4] += q[0] * d_xx + q[1] * d_xxxx + q[2] * d_xxxy + q[3] * d_xxxz + q[4] * d_xxyy + q[5] * d_xxyz +
            q[6] * d_xxzz + q[7] * d_xxxxx + q[8] * d_xxxxy + q[9] * d_xxxxz + q[10] * d_xxxyy + q[11] * d_xxxyz +
            q[12] * d_xxxzz + q[13] * d_xxyyy + q[14] * d_xxyyz + q[15] * d_xxyzz + q[16] * d_xxzzz;
    l[5] += q[0] * d_xy + q[1] * d_xxxy + q[2] * d_xxyy + q[3] * d_xxyz + q[4] * d_xyyy + q[5] * d_xyyz +
            q[6] * d_xyzz + q[7] * d_xxxxy + q[8] * d_xxxyy + q[9] * d_xxxyz + q[10] * d_xxyyy + q[11] * d_xxyyz +
            q[12] * d_xxyzz + q[13] * d_xyyyy + q[14] * d_xyyyz + q[15] * d_xyyzz + q[16] * d_xyzzz;
    l[6] += q[0] * d_xz + q[1] * d_xxxz + q[2] * d_xxyz + q[3] * d_xxzz + q[4] * d_xyyz + q[5] * d_xyzz +
            q[6] * d_xzzz + q[7] * d_xxxxz + q[8] * d_xxxyz + q[9] * d_xxxzz + q[10] * d_xxyyz + q[11] * d_xxyzz +
            q[12] * d_xxzzz + q[13] * d_xyyyz + q[14] * d_xyyzz + q[15] * d_xyzzz + q[16] * d_xzzzz;
    l[7] += q[0] * d_yy + q[1] * d_xxyy + q[2] * d_xyyy + q[3] * d_xyyz + q[4] * d_yyyy + q[5] * d_yyyz +
            q[6] * d_yyzz + q[7] * d_xxxyy + q[8] * d_xxyyy + q[9] * d_xxyyz + q[10] * d_xyyyy + q[11] * d_xyyyz +
            q[12] * d_xyyzz + q[13] * d_yyyyy + q[14] * d_yyyyz + q[15] * d_yyyzz + q[16] * d_yyzzz;
    l[8] += q[0] * d_yz + q[1] * d_xxyz + q[2] * d_xyyz + q[3] * d_xyzz + q[4] * d_yyyz + q[5] * d_yyzz +
            q[6] * d_yzzz + q[7] * d_xxxyz + q[8] * d_xxyyz + q[9] * d_xxyzz + q[10] * d_xyyyz + q[11] * d_xyyzz +
            q[12] * d_xyzzz + q[13] * d_yyyyz + q[14] * d_yyyzz + q[15] * d_yyzzz + q[16] * d_yzzzz;
    l[9] += q[0] * d_zz + q[1] * d_xxzz + q[2] * d_xyzz + q[3] * d_xzzz + q[4] * d_yyzz + q[5] * d_yzzz +
            q[6] * d_zzzz + q[7] * d_xxxzz + q[8] * d_xxyzz + q[9] * d_xxzzz + q[10] * d_xyyzz + q[11] * d_xyzzz +
            q[12] * d_xzzzz + q[13] * d_yyyzz + q[14] * d_yyzzz + q[15] * d_yzzzz + q[16] * d_zzzzz;
    l[10] += q[0] * d_xxx + q[1] * d_xxxxx + q[2] * d_xxxxy + q[3] * d_xxxxz + q[4] * d_xxxyy + q[5] * d_xxxyz +
             q[6] * d_xxxzz;
    l[11] += q[0] * d_xxy + q[1] * d_xxxxy + q[2] * d_xxxyy + q[3] * d_xxxyz + q[4] * d_xxyyy + q[5] * d_xxyyz +
             q[6] * d_xxyzz;
    l[12] += q[0] * d_xxz + q[1] * d_xxxxz + q[2] * d_xxxyz + q[3] * d_xxxzz + q[4] * d_xxyyz + q[5] * d_xxyzz +
             q[6] * d_xxzzz;
    l[13] += q[0] * d_xyy + q[1] * d_xxxyy + q[2] * d_xxyyy + q[3] * d_xxyyz + q[4] * d_xyyyy + q[5] * d_xyyyz +
             q[6] * d_xyyzz;
    l[14] += q[0] * d_xyz + q[1] * d_xxxyz + q[2] * d_xxyyz + q[3] * d_xxyzz + q[4] * d_xyyyz + q[5] * d_xyyzz +
             q[6] * d_xyzzz;
    l[15] += q[0] * d_xzz + q[1] * d_xxxzz + q[2] * d_xxyzz + q[3] * d_xxzzz + q[4] * d_xyyzz + q[5] * d_xyzzz +
             q[6] * d_xzzzz;
    l[16] += q[0] * d_yyy + q[1] * d_xxyyy + q[2] * d_xyyyy + q[3] * d_xyyyz + q[4] * d_yyyyy + q[5] * d_yyyyz +
             q[6] * d_yyyzz;
    l[17] += q[0] * d_yyz + q[1] * d_xxyyz + q[2] * d_xyyyz + q[3] * d_xyyzz + q[4] * d_yyyyz + q[5] * d_yyyzz +
             q[6] * d_yyzzz;
    l[18] += q[0] * d_yzz + q[1] * d_xxyzz + q[2] * d_xyyzz + q[3] * d_xyzzz + q[4] * d_yyyzz + q[5] * d_yyzzz +
             q[6] * d_yzzzz;
    l[19] += q[0] * d_zzz + q[1] * d_xxzzz + q[2] * d_xyzzz + q[3] * d_xzzzz + q[4] * d_yyzzz + q[5] * d_yzzzz +
             q[6] * d_zzzzz;
    l[20] += q[0] * d_xxxx;
    l[21] += q[0] * d_xxxy;
    l[22] += q[0] * d_xxxz;
    l[23] += q[0] * d_xxyy;
    l[24] += q[0] * d_xxyz;
    l[25] += q[0] * d_xxzz;
    l[26] += q[0] * d_xyyy;
    l[27] += q[0] * d_xyyz;
    l[28] += q[0] * d_xyzz;
    l[29] += q[0] * d_xzzz;
    l[30] += q[0] * d_yyyy;
    l[31] += q[0] * d_yyyz;
    l[32] += q[0] * d_yyzz;
    l[33] += q[0] * d_yzzz;
    l[34] += q[0] * d_zzzz;
    l[35] += q[0] * d_xxxxx;
    l[36] += q[0] * d_xxxxy;
    l[37] += q[0] * d_xxxxz;
    l[38] += q[0] * d_xxxyy;
    l[39] += q[0] * d_xxxyz;
    l[40] += q[0] * d_xxxzz;
    l[41] += q[0] * d_xxyyy;
    l[42] += q[0] * d_xxyyz;
    l[43] += q[0] * d_xxyzz;
    l[44] += q[0] * d_xxzzz;
    l[45] += q[0] * d_xyyyy;
    l[46] += q[0] * d_xyyyz;
    l[47] += q[0] * d_xyyzz;
    l[48] += q[0] * d_xyzzz;
    l[49] += q[0] * d_xzzzz;
    l[50] += q[0] * d_yyyyy;
    l[51] += q[0] * d_yyyyz;
    l[52] += q[0] * d_yyyzz;
    l[53] += q[0] * d_yyzzz;
    l[54] += q[0] * d_yzzzz;
    l[55] += q[0] * d_zzzzz;
}

/* Adds the local expansion l about s to the expansion about s + (x, y, z). */
EXPANSION_CALL void EXPANSION(local_shift)(REAL *to, const REAL *l, REAL x, REAL y, REAL z)
{
    REAL m[56];
    for (int k = 0; k < 56; k++)
        m[k] = l[k];
    const REAL x2 = x * x * SCALAR(1.0 / 2), x3 = x2 * x * SCALAR(1.0 / 3), x4 = x3 * x * SCALAR(1.0 / 4),
               x5 = x4 * x * SCALAR(1.0 / 5), y2 = y * y * SCALAR(1.0 / 2), y3 = y2 * y * SCALAR(1.0 / 3),
               y4 = y3 * y * SCALAR(1.0 / 4), y5 = y4 * y * SCALAR(1.0 / 5), z2 = z * z * SCALAR(1.0 / 2),
               z3 = z2 * z * SCALAR(1.0 / 3), z4 = z3 * z * SCALAR(1.0 / 4), z5 = z4 * z * SCALAR(1.0 / 5);
    m[0] += m[1] * x + m[4] * x2 + m[10] * x3 + m[20] * x4 + m[35] * x5;
    m[1] += m[4] * x + m[10] * x2 + m[20] * x3 + m[35] * x4;
    m[2] += m[5] * x + m[11] * x2 + m[21] * x3 + m[36] * x4;
    m[3] += m[6] * x + m[12] * x2 + m[22] * x3 + m[37] * x4;
    m[4] += m[10] * x + m[20] * x2 + m[35] * x3;
    m[5] += m[11] * x + m[21] * x2 + m[36] * x3;
    m[6] += m[12] * x + m[22] * x2 + m[37] * x3;
    m[7] += m[13] * x + m[23] * x2 + m[38] * x3;
    m[8] += m[14] * x + m[24] * x2 + m[39] * x3;
    m[9] += m[15] * x + m[25] * x2 + m[40] * x3;
    m[10] += m[20] * x + m[35] * x2;
    m[11] += m[21] * x + m[36] * x2;
    m[12] += m[22] * x + m[37] * x2;
    m[13] += m[23] * x + m[38] * x2;
    m[14] += m[24] * x + m[39] * x2;
    m[15] += m[25] * x + m[40] * x2;
    m[16] += m[26] * x + m[41] * x2;
    m[17] += m[27] * x + m[42] * x2;
    m[18] += m[28] * x + m[43] * x2;
    m[19] += m[29] * x + m[44] * x2;
    m[20] += m[35] * x;
    m[21] += m[36] * x;
    m[22] += m[37] * x;
    m[23] += m[38] * x;
    m[24] += m[39] * x;
    m[25] += m[40] * x;
    m[26] += m[41] * x;
    m[27] += m[42] * x;
    m[28] += m[43] * x;
    m[29] += m[44] * x;
    m[30] += m[45] * x;
    m[31] += m[46] * x;
    m[32] += m[47] * x;
    m[33] += m[48] * x;
    m[34] += m[49] * x;
    m[0] += m[2] * y + m[7] * y2 + m[16] * y3 + m[30] * y4 + m[50] * y5;
    m[1] += m[5] * y + m[13] * y2 + m[26] * y3 + m[45] * y4;
    m[2] += m[7] * y + m[16] * y2 + m[30] * y3 + m[50] * y4;
    m[3] += m[8] * y + m[17] * y2 + m[31] * y3 + m[51] * y4;
    m[4] += m[11] * y + m[23] * y2 + m[41] * y3;
    m[5] += m[13] * y + m[26] * y2 + m[45] * y3;
    m[6] += m[14] * y + m[27] * y2 + m[46] * y3;
    m[7] += m[16] * y + m[30] * y2 + m[50] * y3;
    m[8] += m[17] * y + m[31] * y2 + m[51] * y3;
    m[9] += m[18] * y + m[32] * y2 + m[52] * y3;
    m[10] += m[21] * y + m[38] * y2;
    m[11] += m[23] * y + m[41] * y2;
    m[12] += m[24] * y + m[42] * y2;
    m[13] += m[26] * y + m[45] * y2;
    m[14] += m[27] * y + m[46] * y2;
    m[15] += m[28] * y + m[47] * y2;
    m[16] += m[30] * y + m[50] * y2;
    m[17] += m[31] * y + m[51] * y2;
    m[18] += m[32] * y + m[52] * y2;
    m[19] += m[33] * y + m[53] * y2;
    m[20] += m[36] * y;
    m[21] += m[38] * y;
    m[22] += m[39] * y;
    m[23] += m[41] * y;
    m[24] += m[42] * y;
    m[25] += m[43] * y;
    m[26] += m[45] * y;
    m[27] += m[46] * y;
    m[28] += m[47] * y;
    m[29] += m[48] * y;
    m[30] += m[50] * y;
    m[31] += m[51] * y;
    m[32] += m[52] * y;
    m[33] += m[53] * y;
    m[34] += m[54] * y;
    m[0] += m[3] * z + m[9] * z2 + m[19] * z3 + m[34] * z4 + m[55] * z5;
    m[1] += m[6] * z + m[15] * z2 + m[29] * z3 + m[49] * z4;
    m[2] += m[8] * z + m[18] * z2 + m[33] * z3 + m[54] * z4;
    m[3] += m[9] * z + m[19] * z2 + m[34] * z3 + m[55] * z4;
    m[4] += m[12] * z + m[25] * z2 + m[44] * z3;
    m[5] += m[14] * z + m[28] * z2 + m[48] * z3;
    m[6] += m[15] * z + m[29] * z2 + m[49] * z3;
    m[7] += m[17] * z + m[32] * z2 + m[53] * z3;
    m[8] += m[18] * z + m[33] * z2 + m[54] * z3;
    m[9] += m[19] * z + m[34] * z2 + m[55] * z3;
    m[10] += m[22] * z + m[40] * z2;
    m[11] += m[24] * z + m[43] * z2;
    m[12] += m[25] * z + m[44] * z2;
    m[13] += m[27] * z + m[47] * z2;
    m[14] += m[28] * z + m[48] * z2;
    m[15] += m[29] * z + m[49] * z2;
    m[16] += m[31] * z + m[52] * z2;
    m[17] += m[32] * z + m[53] * z2;
    m[18] += m[33] * z + m[54] * z2;
    m[19] += m[34] * z + m[55] * z2;
    m[20] += m[37] * z;
    m[21] += m[39] * z;
    m[22] += m[40] * z;
    m[23] += m[42] * z;
    m[24] += m[43] * z;
    m[25] += m[44] * z;
    m[26] += m[46] * z;
    m[27] += m[47] * z;
    m[28] += m[48] * z;
    m[29] += m[49] * z;
    m[30] += m[51] * z;
    m[31] += m[52] * z;
    m[32] += m[53] * z;
    m[33] += m[54] * z;
    m[34] += m[55] * z;
    for (int k = 0; k < 56; k++)
        to[k] += m[k];
}

/* Adds grad psi at s + (x, y, z) to g[3], from the local expansion l about s. */
EXPANSION_CALL void EXPANSION(local_gradient)(const REAL *l, REAL x, REAL y, REAL z, REAL *g)
{
    const REAL p_x = x, p_y = y, p_z = z, p_xx = p_x * x * SCALAR(1.0 / 2), p_xy = p_y * x, p_xz = p_z * x,
               p_yy = p_y * y * SCALAR(1.0 / 2), p_yz = p_z * y, p_zz = p_z * z * SCALAR(1.0 / 2),
               p_xxx = p_xx * x * SCALAR(1.0 / 3), p_xxy = p_xy * x * SCALAR(1.0 / 2),
               p_xxz = p_xz * x * SCALAR(1.0 / 2), p_xyy = p_xy * y * SCALAR(1.0 / 2), p_xyz = p_yz * x,
               p_xzz = p_xz * z * SCALAR(1.0 / 2), p_yyy = p_yy * y * SCALAR(1.0 / 3),
               p_yyz = p_yz * y * SCALAR(1.0 / 2), p_yzz = p_yz * z * SCALAR(1.0 / 2),
               p_zzz = p_zz * z * SCALAR(1.0 / 3), p_xxxx = p_xxx * x * SCALAR(1.0 / 4),
               p_xxxy = p_xxy * x * SCALAR(1.0 / 3), p_xxxz = p_xxz * x * SCALAR(1.0 / 3),
               p_xxyy = p_xyy * x * SCALAR(1.0 / 2), p_xxyz = p_xyz * x * SCALAR(1.0 / 2),
               p_xxzz = p_xzz * x * SCALAR(1.0 / 2), p_xyyy = p_xyy * y * SCALAR(1.0 / 3),
               p_xyyz = p_xyz * y * SCALAR(1.0 / 2), p_xyzz = p_xyz * z * SCALAR(1.0 / 2),
               p_xzzz = p_xzz * z * SCALAR(1.0 / 3), p_yyyy = p_yyy * y * SCALAR(1.0 / 4),
               p_yyyz = p_yyz * y * SCALAR(1.0 / 3), p_yyzz = p_yzz * y * SCALAR(1.0 / 2),
               p_yzzz = p_yzz * z * SCALAR(1.0 / 3), p_zzzz = p_zzz * z * SCALAR(1.0 / 4);
    g[0] += l[1] + l[4] * p_x + l[5] * p_y + l[6] * p_z + l[10] * p_xx + l[11] * p_xy + l[12] * p_xz + l[13] * p_yy +
            l[14] * p_yz + l[15] * p_zz + l[20] * p_xxx + l[21] * p_xxy + l[22] * p_xxz + l[23] * p_xyy +
            l[24] * p_xyz + l[25] * p_xzz + l[26] * p_yyy + l[27] * p_yyz + l[28] * p_yzz + l[29] * p_zzz +
            l[35] * p_xxxx + l[36] * p_xxxy + l[37] * p_xxxz + l[38] * p_xxyy + l[39] * p_xxyz + l[40] * p_xxzz +
            l[41] * p_xyyy + l[42] * p_xyyz + l[43] * p_xyzz + l[44] * p_xzzz + l[45] * p_yyyy + l[46] * p_yyyz +
            l[47] * p_yyzz + l[48] * p_yzzz + l[49] * p_zzzz;
    g[1] += l[2] + l[5] * p_x + l[7] * p_y + l[8] * p_z + l[11] * p_xx + l[13] * p_xy + l[14] * p_xz + l[16] * p_yy +
            l[17] * p_yz + l[18] * p_zz + l[21] * p_xxx + l[23] * p_xxy + l[24] * p_xxz + l[26] * p_xyy +
            l[27] * p_xyz + l[28] * p_xzz + l[30] * p_yyy + l[31] * p_yyz + l[32] * p_yzz + l[33] * p_zzz +
            l[36] * p_xxxx + l[38] * p_xxxy + l[39] * p_xxxz + l[41] * p_xxyy + l[42] * p_xxyz + l[43] * p_xxzz +
            l[45] * p_xyyy + l[46] * p_xyyz + l[47] * p_xyzz + l[48] * p_xzzz + l[50] * p_yyyy + l[51] * p_yyyz +
            l[52] * p_yyzz + l[53] * p_yzzz + l[54] * p_zzzz;
    g[2] += l[3] + l[6] * p_x + l[8] * p_y + l[9] * p_z + l[12] * p_xx + l[14] * p_xy + l[15] * p_xz + l[17] * p_yy +
            l[18] * p_yz + l[19] * p_zz + l[22] * p_xxx + l[24] * p_xxy + l[25] * p_xxz + l[27] * p_xyy +
            l[28] * p_xyz + l[29] * p_xzz + l[31] * p_yyy + l[32] * p_yyz + l[33] * p_yzz + l[34] * p_zzz +
            l[37] * p_xxxx + l[39] * p_xxxy + l[40] * p_xxxz + l[42] * p_xxyy + l[43] * p_xxyz + l[44] * p_xxzz +
            l[46] * p_xyyy + l[47] * p_xyyz + l[48] * p_xyzz + l[49] * p_xzzz + l[51] * p_yyyy + l[52] * p_yyyz +
            l[53] * p_yyzz + l[54] * p_yzzz + l[55] * p_zzzz;
}

/* Returns psi at s + (x, y, z), from the local expansion l about s. */
EXPANSION_CALL REAL EXPANSION(local_value)(const REAL *l, REAL x, REAL y, REAL z)
{
    const REAL p_x = x, p_y = y, p_z = z, p_xx = p_x * x * SCALAR(1.0 / 2), p_xy = p_y * x, p_xz = p_z * x,
               p_yy = p_y * y * SCALAR(1.0 / 2), p_yz = p_z * y, p_zz = p_z * z * SCALAR(1.0 / 2),
               p_xxx = p_xx * x * SCALAR(1.0 / 3), p_xxy = p_xy * x * SCALAR(1.0 / 2),
               p_xxz = p_xz * x * SCALAR(1.0 / 2), p_xyy = p_xy * y * SCALAR(1.0 / 2), p_xyz = p_yz * x,
               p_xzz = p_xz * z * SCALAR(1.0 / 2), p_yyy = p_yy * y * SCALAR(1.0 / 3),
               p_yyz = p_yz * y * SCALAR(1.0 / 2), p_yzz = p_yz * z * SCALAR(1.0 / 2),
               p_zzz = p_zz * z * SCALAR(1.0 / 3), p_xxxx = p_xxx * x * SCALAR(1.0 / 4),
               p_xxxy = p_xxy * x * SCALAR(1.0 / 3), p_xxxz = p_xxz * x * SCALAR(1.0 / 3),
               p_xxyy = p_xyy * x * SCALAR(1.0 / 2), p_xxyz = p_xyz * x * SCALAR(1.0 / 2),
               p_xxzz = p_xzz * x * SCALAR(1.0 / 2), p_xyyy = p_xyy * y * SCALAR(1.0 / 3),
               p_xyyz = p_xyz * y * SCALAR(1.0 / 2), p_xyzz = p_xyz * z * SCALAR(1.0 / 2),
               p_xzzz = p_xzz * z * SCALAR(1.0 / 3), p_yyyy = p_yyy * y * SCALAR(1.0 / 4),
               p_yyyz = p_yyz * y * SCALAR(1.0 / 3), p_yyzz = p_yzz * y * SCALAR(1.0 / 2),
               p_yzzz = p_yzz * z * SCALAR(1.0 / 3), p_zzzz = p_zzz * z * SCALAR(1.0 / 4),
               p_xxxxx = p_xxxx * x * SCALAR(1.0 / 5), p_xxxxy = p_xxxy * x * SCALAR(1.0 / 4),
               p_xxxxz = p_xxxz * x * SCALAR(1.0 / 4), p_xxxyy = p_xxyy * x * SCALAR(1.0 / 3),
               p_xxxyz = p_xxyz * x * SCALAR(1.0 / 3), p_xxxzz = p_xxzz * x * SCALAR(1.0 / 3),
               p_xxyyy = p_xxyy * y * SCALAR(1.0 / 3), p_xxyyz = p_xyyz * x * SCALAR(1.0 / 2),
               p_xxyzz = p_xyzz * x * SCALAR(1.0 / 2), p_xxzzz = p_xxzz * z * SCALAR(1.0 / 3),
               p_xyyyy = p_xyyy * y * SCALAR(1.0 / 4), p_xyyyz = p_xyyz * y * SCALAR(1.0 / 3),
               p_xyyzz = p_xyzz * y * SCALAR(1.0 / 2), p_xyzzz = p_xyzz * z * SCALAR(1.0 / 3),
               p_xzzzz = p_xzzz * z * SCALAR(1.0 / 4), p_yyyyy = p_yyyy * y * SCALAR(1.0 / 5),
               p_yyyyz = p_yyyz * y * SCALAR(1.0 / 4), p_yyyzz = p_yyzz * y * SCALAR(1.0 / 3),
               p_yyzzz = p_yyzz * z * SCALAR(1.0 / 3), p_yzzzz = p_yzzz * z * SCALAR(1.0 / 4),
               p_zzzzz = p_zzzz * z * SCALAR(1.0 / 5);
    return l[0] + l[1] * p_x + l[2] * p_y + l[3] * p_z + l[4] * p_xx + l[5] * p_xy + l[6] * p_xz + l[7] * p_yy +
           l[8] * p_yz + l[9] * p_zz + l[10] * p_xxx + l[11] * p_xxy + l[12] * p_xxz + l[13] * p_xyy + l[14] * p_xyz +
           l[15] * p_xzz + l[16] * p_yyy + l[17] * p_yyz + l[18] * p_yzz + l[19] * p_zzz + l[20] * p_xxxx +
           l[21] * p_xxxy + l[22] * p_xxxz + l[23] * p_xxyy + l[24] * p_xxyz + l[25] * p_xxzz + l[26] * p_xyyy +
           l[27] * p_xyyz + l[28] * p_xyzz + l[29] * p_xzzz + l[30] * p_yyyy + l[31] * p_yyyz + l[32] * p_yyzz +
           l[33] * p_yzzz + l[34] * p_zzzz + l[35] * p_xxxxx + l[36] * p_xxxxy + l[37] * p_xxxxz + l[38] * p_xxxyy +
           l[39] * p_xxxyz + l[40] * p_xxxzz + l[41] * p_xxyyy + l[42] * p_xxyyz + l[43] * p_xxyzz + l[44] * p_xxzzz +
           l[45] * p_xyyyy + l[46] * p_xyyyz + l[47] * p_xyyzz + l[48] * p_xyzzz + l[49] * p_xzzzz + l[50] * p_yyyyy +
           l[51] * p_yyyyz + l[52] * p_yyyzz + l[53] * p_yyzzz + l[54] * p_yzzzz + l[55] * p_zzzzz;
}
