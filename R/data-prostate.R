#' Patients with cancer of the prostate
#'
#' 502 patients with cancer of the prostate of stage 3 or 4, who took part in a randomised trial of
#' an oestrogen, diethylstilbestrol: numbers, counts, ordered and unordered categories side by side,
#' with 27 entries missing. Valera et al. (2020) explore these data by latent features.
#'
#' @format A data frame with a row per patient and 16 columns:
#' \describe{
#'   \item{stage}{Stage of the disease: factor `"3"` (289 patients) or `"4"` (213).}
#'   \item{rx}{Dose of oestrogen a day: ordered, `"0 mg"` < `"1 mg"` < `"5 mg"`. The 251 patients of
#'     `"0 mg"` are those who had a placebo or 0.2 mg.}
#'   \item{dtime}{Months of follow-up: integer from 0 to 76.}
#'   \item{status}{At the end of these: factor `"alive"`, or died of `"vascular"` disease,
#'     `"prostatic ca"` (cancer of the prostate) or `"others"`.}
#'   \item{age}{Age in years: integer from 48 to 89; 1 missing.}
#'   \item{wt}{Weight index, weight in kg less height in cm, plus 200: integer from 69 to 152;
#'     2 missing.}
#'   \item{pf}{Performance, how active the patient is: ordered, `"confined to bed"` <
#'     `"in bed more than half daytime"` < `"in bed less than half daytime"` < `"normal activity"`.}
#'   \item{hx}{Has had cardiovascular disease: factor `"no"` or `"yes"`.}
#'   \item{sbp}{Systolic blood pressure in cm of mercury (a tenth of mmHg): integer from 8 to 30.}
#'   \item{dbp}{Diastolic blood pressure in the same unit: integer from 4 to 18.}
#'   \item{ekg}{Electrocardiogram: factor `"normal"`, `"benign"`,
#'     `"rhythmic disturb & electrolyte ch"` (disturbed rhythm and electrolyte changes),
#'     `"heart block or conduction def"` (defects of conduction), `"heart strain"`, `"old MI"` or
#'     `"recent MI"` (myocardial infarction); 8 missing.}
#'   \item{hg}{Serum haemoglobin in g per 100 ml: number from 5.9 to 21.2.}
#'   \item{sz}{Size of the primary tumour in square cm: integer from 0 to 69; 5 missing.}
#'   \item{sg}{Combined index of stage and histological grade: integer from 5 to 15; 11 missing.}
#'   \item{ap}{Serum prostatic acid phosphatase in King-Armstrong units: number from 0.1 to 999.9.}
#'   \item{bm}{Bone metastases: factor `"no"` or `"yes"`.}
#' }
#' The attribute `"labels"` has a few words on each column.
#' @source Byar, D. P. and Green, S. B. (1980). The choice of treatment for cancer patients based on
#'   covariate information: application to prostate cancer. *Bulletin du Cancer* 67, 477-490.
#'
#'   Andrews, D. F. and Herzberg, A. M. (1985). *Data: a collection of problems from many fields for
#'   the student and research worker.* Springer, 261-274.
#' @references
#' Valera, I., Pradier, M. F., Lomeli, M. and Ghahramani, Z. (2020). General latent feature models
#' for heterogeneous datasets. *Journal of Machine Learning Research* 21(100), 1-49.
#' @seealso [fit_mixed()]
#' @examples
#' summary(prostate)
"prostate"
